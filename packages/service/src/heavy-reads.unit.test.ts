import { createTelemetry } from "@cloud/runtime/telemetry";
import { waitFor } from "@cloud/testkit";
import { afterEach, expect, jest, test } from "@jest/globals";
import { createHeavyReads, type HeavyReads } from "./heavy-reads.ts";

/** No read waits for so long. */
const LONG_MS = 60_000;
const here = new AbortController().signal;
afterEach(() => void jest.useRealTimers());
const busy = expect.objectContaining({ rawMessage: "the service is busy" });

function create({ max = 2, maxPerKey = 1, maxQueue = 1, maxWaitMs = LONG_MS } = {}) {
  const telemetry = createTelemetry({ service: "test", level: "silent", processMetrics: false });
  const heavyReads = createHeavyReads({ max, maxPerKey, maxQueue, maxWaitMs }, telemetry);
  return { heavyReads, metrics: () => telemetry.metrics.metrics() };
}

/** Begins reads; each ends when it is called. `begun` has their names in the order in which they began. */
function play(heavyReads: HeavyReads) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const read = (organization: string, name: string, signal = here) =>
    heavyReads.run(organization, signal, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  return { begun, read, end: (name: string) => ends.get(name)?.() };
}

test("an organization has its share and its queue; what is beyond is refused as busy, and no other organization", async () => {
  const { heavyReads, metrics } = create();
  const { begun, read, end } = play(heavyReads);
  const reads = [read("a", "a1"), read("a", "a2")];
  await expect(read("a", "a3")).rejects.toEqual(busy);
  reads.push(read("b", "b1"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(["a1", "b1"]);
  expect(await metrics()).toMatch(/semaphore_in_flight\{work="heavy-reads".*\} 2/);
  expect(await metrics()).toMatch(/semaphore_waiting\{work="heavy-reads".*\} 1/);
  expect(await metrics()).toMatch(/semaphore_refused_total\{work="heavy-reads".*\} 1/);
  for (const name of ["a1", "b1"]) end(name);
  expect(await reads[0]).toBe("a1");
  expect(await reads[2]).toBe("b1");
  await waitFor(() => begun.includes("a2") || undefined, { deadlineMs: 30_000 });
  end("a2");
  expect(await reads[1]).toBe("a2");
});

test("a read whose caller has left is not begun", async () => {
  const { heavyReads } = create();
  const { begun, read, end } = play(heavyReads);
  const first = read("a", "a1");
  const caller = new AbortController();
  const left = read("a", "a2", caller.signal);
  caller.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  end("a1");
  await first;
  expect(begun).toEqual(["a1"]);
});

test("a read that fails returns its permit", async () => {
  const { heavyReads } = create({ max: 1 });
  await expect(heavyReads.run("a", here, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await heavyReads.run("a", here, async () => "run")).toBe("run");
});

test("while others of its organization wait, a read keeps its place for as long again as it took", async () => {
  const { heavyReads, metrics } = create();
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
  expect(await metrics()).toMatch(/semaphore_in_flight\{work="heavy-reads".*\} 0/);
});
