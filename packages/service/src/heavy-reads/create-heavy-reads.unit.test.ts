import { createTelemetry } from "@cloud/telemetry";
import { waitFor } from "@cloud/testkit";
import { afterEach, expect, jest, test } from "@jest/globals";
import { createHeavyReads, type HeavyReads } from "./create-heavy-reads.ts";
import { createHeavyReadMetrics } from "./heavy-read-metrics.ts";

/** No read waits for so long. */
const LONG_MS = 60_000;
const here = new AbortController().signal;
afterEach(() => void jest.useRealTimers());
const busy = expect.objectContaining({ rawMessage: "the service is busy" });

function create({ most = 3, mostOfOne = 2, mostWaiting = 8, waitMs = LONG_MS } = {}) {
  const telemetry = createTelemetry({ service: "test", level: "silent", processMetrics: false });
  const heavyReads = createHeavyReads({ most, mostOfOne, mostWaiting, waitMs }, createHeavyReadMetrics(telemetry));
  return { heavyReads, metrics: () => telemetry.metrics.metrics() };
}

/** Begins reads, each of which ends when it is called. `begun` has their names in the order in which they began. */
function play(heavyReads: HeavyReads) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const read = (organization: string, name: string, signal = here) =>
    heavyReads.run(organization, signal, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  /** Waits for the read that begins next, which must be this one. */
  const beganNext = async (name: string) => {
    const before = begun.length - (begun.at(-1) === name ? 1 : 0);
    await waitFor(() => begun.length > before || undefined, { deadlineMs: 30_000 });
    expect(begun.slice(before)).toEqual([name]);
  };
  return { begun, read, end: (name: string) => ends.get(name)?.(), beganNext };
}

test("an organization has two of the three permits, and those that wait begin in turn", async () => {
  const { heavyReads, metrics } = create();
  const { begun, read, end, beganNext } = play(heavyReads);
  const large = ["a1", "a2", "a3", "a4"].map((name) => read("a", name));
  const small = [read("b", "b1"), read("b", "b2"), read("c", "c1")];
  expect(begun).toEqual(["a1", "a2", "b1"]);
  expect(await metrics()).toMatch(/heavy_reads_waiting\{.*\} 4/);

  // Of those that wait, c has none that runs; then b has none.
  end("a1");
  await beganNext("c1");
  end("b1");
  await beganNext("b2");
  for (const [ending, next] of [
    ["a2", "a3"],
    ["b2", "a4"],
  ] as const) {
    end(ending);
    await beganNext(next);
  }
  for (const name of ["a3", "a4", "c1"]) end(name);
  expect(await Promise.all([...large, ...small])).toEqual(["a1", "a2", "a3", "a4", "b1", "b2", "c1"]);
  expect(await metrics()).toMatch(/heavy_reads_in_flight\{.*\} 0/);
});

test("of one organization, no more wait than the limit, and none of another is refused for it", async () => {
  const { heavyReads, metrics } = create({ most: 2, mostOfOne: 1, mostWaiting: 1 });
  const { begun, read, end, beganNext } = play(heavyReads);
  const reads = [read("a", "a1"), read("a", "a2")];
  await expect(read("a", "a3")).rejects.toEqual(busy);
  reads.push(read("b", "b1"));
  expect(begun).toEqual(["a1", "b1"]);
  end("a1");
  await beganNext("a2");
  for (const name of ["a2", "b1"]) end(name);
  await Promise.all(reads);
  expect(await metrics()).toMatch(/heavy_reads_refused_total\{.*\} 1/);
});

test("one whose turn does not come in time is refused, one whose caller leaves is not begun; both leave their place", async () => {
  const { heavyReads } = create({ most: 1, mostOfOne: 1, mostWaiting: 1, waitMs: 1 });
  const { begun, read, end } = play(heavyReads);
  const first = read("a", "a1");
  await expect(read("a", "a2")).rejects.toEqual(busy);
  const caller = new AbortController();
  const left = read("a", "a3", caller.signal);
  caller.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  await expect(read("a", "a4", caller.signal)).rejects.toThrow("left");
  end("a1");
  await first;
  expect(begun).toEqual(["a1"]);
  const next = read("a", "a5");
  end("a5");
  expect(await next).toBe("a5");
});

test("a read that fails returns its permit", async () => {
  const { heavyReads } = create({ most: 1, mostOfOne: 1 });
  await expect(heavyReads.run("a", here, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await heavyReads.run("a", here, async () => "run")).toBe("run");
});

test("while others of its organization wait, a read keeps its place for as long again as it took", async () => {
  const { heavyReads, metrics } = create({ most: 2, mostOfOne: 1 });
  const { begun, read, end } = play(heavyReads);
  jest.useFakeTimers();
  const reads = [read("a", "a1"), read("a", "a2")];
  await jest.advanceTimersByTimeAsync(50);
  end("a1");
  await reads[0];
  await jest.advanceTimersByTimeAsync(49);
  expect(begun).toEqual(["a1"]);
  await jest.advanceTimersByTimeAsync(1);
  expect(begun).toEqual(["a1", "a2"]);

  // No read waits for its place.
  end("a2");
  await reads[1];
  expect(await metrics()).toMatch(/heavy_reads_in_flight\{.*\} 0/);
});
