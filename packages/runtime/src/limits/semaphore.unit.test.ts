import { afterEach, expect, jest, test } from "@jest/globals";
import { createTelemetry } from "../telemetry/telemetry.ts";
import {
  createSemaphore,
  createSemaphoreMetrics,
  type Release,
  type SemaphoreLimits,
  type Waiter,
} from "./semaphore.ts";

afterEach(() => void jest.useRealTimers());

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const refusal = new Error("refused");

/** Acquires permits by name. `begun` has the names in the order in which they got one. */
function play(limits: SemaphoreLimits) {
  const telemetry = createTelemetry({ service: "test", level: "silent", processMetrics: false });
  const metrics = createSemaphoreMetrics(telemetry, "reads");
  const semaphore = createSemaphore({ refusal, ...limits }, metrics);
  const begun: string[] = [];
  const releases = new Map<string, Release>();
  return {
    semaphore,
    begun,
    /** The key is the first letter of the name. */
    acquire: async (name: string, waiter: Waiter = {}) => {
      releases.set(name, await semaphore.acquire({ key: name.charAt(0), ...waiter }));
      begun.push(name);
    },
    /** Releases the permit of a name that has one, and returns after what gets it has noticed it. */
    release: async (name: string) => {
      await nextTurn();
      const release = releases.get(name);
      if (release === undefined) throw new Error(`${name} has no permit`);
      release();
      await nextTurn();
    },
    metrics: () => telemetry.metrics.metrics(),
  };
}

test("permits go to the key with the fewest, then in the order of arrival", async () => {
  const { acquire, release, begun, metrics } = play({ max: 3, maxPerKey: 2 });
  const all = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"].map((name) => acquire(name));
  await Promise.all([all[0], all[1], all[4]]);
  expect(begun.splice(0)).toEqual(["a1", "a2", "b1"]);
  expect(await metrics()).toMatch(/semaphore_in_flight\{work="reads".*\} 3/);
  expect(await metrics()).toMatch(/semaphore_waiting\{work="reads".*\} 4/);
  for (const [ending, next] of [
    ["a1", ["c1"]], // c has none
    ["b1", ["b2"]],
    ["a2", ["a3"]],
    ["c1", ["a4"]],
    ["b2", []],
  ] as const) {
    await release(ending);
    expect(begun.splice(0)).toEqual(next);
  }
  await Promise.all(all);
});

test("of keys with as few permits, the one that came or returned one first is next", async () => {
  const { acquire, release, begun } = play({ max: 1 });
  for (const name of ["a1", "a2", "a3", "b1", "c1", "b2"]) void acquire(name);
  for (const name of ["a1", "b1", "c1", "a2", "b2", "a3"]) await release(name);
  expect(begun).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("a permit that its key may not have is left to others", async () => {
  const { acquire, begun } = play({ max: 3, maxPerKey: 1 });
  void acquire("a1");
  void acquire("a2");
  await acquire("b1");
  expect(begun).toEqual(["a1", "b1"]);
});

test("a release returns one permit, however often it is called", async () => {
  const { semaphore, acquire, release, begun } = play({ max: 1 });
  for (const name of ["a1", "a2", "a3"]) void acquire(name);
  await release("a1");
  await release("a1");
  expect(begun).toEqual(["a1", "a2"]);
  expect(semaphore.waiting("a")).toBe(1);
});

test("what waits beyond the limit of its key is refused at once, and no other key for it", async () => {
  const { semaphore, acquire, begun, metrics } = play({ max: 2, maxPerKey: 1, maxQueue: 1 });
  await acquire("a1");
  void acquire("a2");
  await expect(acquire("a3")).rejects.toBe(refusal);
  await acquire("b1");
  expect(begun).toEqual(["a1", "b1"]);
  expect(semaphore.waiting("a")).toBe(1);
  expect(await metrics()).toMatch(/semaphore_refused_total\{work="reads".*\} 1/);
});

test("a wait that takes too long ends, and its place in the queue is free", async () => {
  jest.useFakeTimers({ doNotFake: ["setImmediate"] });
  const { semaphore, acquire, release, begun, metrics } = play({ max: 1, maxQueue: 1, maxWaitMs: 50 });
  await acquire("a1");
  const late = expect(acquire("a2")).rejects.toBe(refusal);
  await jest.advanceTimersByTimeAsync(50);
  await late;
  expect(semaphore.waiting("a")).toBe(0);
  void acquire("a3");
  await release("a1");
  await jest.advanceTimersByTimeAsync(100); // a permit is held for any time
  expect(begun).toEqual(["a1", "a3"]);
  expect(await metrics()).toMatch(/semaphore_refused_total\{work="reads".*\} 1/);
  expect(jest.getTimerCount()).toBe(0);
});

test("an aborted wait ends with the reason, and its place in the queue is free", async () => {
  const { acquire, release, begun, metrics } = play({ max: 1, maxQueue: 1, maxWaitMs: 60_000 });
  await acquire("a1");
  const caller = new AbortController();
  const left = acquire("a2", { signal: caller.signal });
  caller.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  await expect(acquire("a3", { signal: caller.signal })).rejects.toThrow("left");
  const next = acquire("a4");
  await release("a1");
  await next;
  expect(begun).toEqual(["a1", "a4"]);
  expect(await metrics()).toMatch(/semaphore_refused_total\{work="reads".*\} 0/);
});

test("semaphores of the same work count together, semaphores of other work apart", async () => {
  const telemetry = createTelemetry({ service: "test", level: "silent", processMetrics: false });
  const [first, second, other] = ["reads", "reads", "exports"].map((work) =>
    createSemaphore({ max: 1, maxQueue: 0, refusal }, createSemaphoreMetrics(telemetry, work)),
  );
  const release = await first?.acquire();
  await second?.acquire();
  await expect(first?.acquire()).rejects.toBe(refusal);
  await expect(second?.acquire()).rejects.toBe(refusal);
  await other?.acquire();
  const text = await telemetry.metrics.metrics();
  expect(text).toMatch(/semaphore_in_flight\{work="reads".*\} 2/);
  expect(text).toMatch(/semaphore_refused_total\{work="reads".*\} 2/);
  expect(text).toMatch(/semaphore_in_flight\{work="exports".*\} 1/);
  expect(text).toMatch(/semaphore_refused_total\{work="exports".*\} 0/);
  release?.();
  expect(await telemetry.metrics.metrics()).toMatch(/semaphore_in_flight\{work="reads".*\} 1/);
});

test("a signal that is aborted after the permit was given ends nothing", async () => {
  const { semaphore, acquire, release, begun } = play({ max: 1 });
  await acquire("a1");
  const caller = new AbortController();
  void acquire("a2", { signal: caller.signal });
  await release("a1");
  caller.abort();
  void acquire("a3");
  expect(semaphore.waiting("a")).toBe(1);
  await release("a2");
  expect(begun).toEqual(["a1", "a2", "a3"]);
});

test("a key whose only wait was aborted has its whole share when it comes again", async () => {
  const { acquire, release, begun } = play({ max: 2, maxPerKey: 1 });
  await Promise.all([acquire("a1"), acquire("b1")]);
  const caller = new AbortController();
  const left = acquire("c1", { signal: caller.signal }).catch(() => undefined);
  caller.abort();
  // Before the one that left has noticed: its lane is gone, and must not take the new one with it.
  void acquire("c2");
  void acquire("c3");
  await left;
  await release("a1");
  await release("b1");
  expect(begun).toEqual(["a1", "b1", "c2"]);
  await release("c2");
  expect(begun.at(-1)).toBe("c3");
});

test("work that fails returns its permit", async () => {
  const { semaphore } = play({ max: 1 });
  await expect(semaphore.run(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await semaphore.run(async () => "run")).toBe("run");
});
