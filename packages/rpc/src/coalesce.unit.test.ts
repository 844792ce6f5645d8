import { waitFor } from "@cloud/testkit";
import { expect, jest, test } from "@jest/globals";
import { type CoalesceOptions, coalesce } from "./coalesce.ts";

const ONE_AT_A_TIME = { mostKeys: 1_000, mostInFlight: 1 };

/** Look-ups that stay in flight until they are ended, the oldest first. */
function recorder(options: Partial<CoalesceOptions> = {}) {
  const calls: (readonly string[])[] = [];
  const inFlight: (() => void)[] = [];
  const lookUp = coalesce<string>(
    async (keys) => {
      calls.push(keys);
      await new Promise<void>((resolve) => void inFlight.push(resolve));
      if (keys.includes("bad")) throw new Error("refused");
      return new Map(keys.map((key) => [key, key === "worse" ? new Error("refused") : `result for ${key}`]));
    },
    { ...ONE_AT_A_TIME, ...options },
  );
  const begun = (count: number) =>
    waitFor(() => (calls.length === count ? true : undefined), { deadlineMs: 1_000 }).then(() => undefined);
  return { lookUp, calls, begun, endOldest: () => inFlight.shift()?.() };
}

/** Settles once everything that is due in the next turns of the event loop has run. */
async function turns(count = 3): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => void setImmediate(resolve));
}

test("look-ups made during a call are combined in the next one, equal keys once", async () => {
  const { lookUp, calls, begun, endOldest } = recorder();
  const first = lookUp("a");
  await begun(1);
  const others = ["b", "c", "b", "d"].map(lookUp);
  endOldest();
  expect(await first).toBe("result for a");
  await begun(2);
  endOldest();
  expect(await Promise.all(others)).toEqual(["result for b", "result for c", "result for b", "result for d"]);
  expect(calls).toEqual([["a"], ["b", "c", "d"]]);
});

test("those of one turn of the event loop are one call", async () => {
  const { lookUp, calls, begun } = recorder();
  void lookUp("a");
  await Promise.resolve();
  void lookUp("b");
  process.nextTick(() => void lookUp("c"));
  await begun(1);
  expect(calls).toEqual([["a", "b", "c"]]);
});

test("a key that is being looked up is looked up again for who asks meanwhile", async () => {
  const { lookUp, calls, begun, endOldest } = recorder();
  const first = lookUp("a");
  await begun(1);
  const second = lookUp("a");
  endOldest();
  await first;
  await begun(2);
  expect(calls).toEqual([["a"], ["a"]]);
  endOldest();
  expect(await second).toBe("result for a");
});

test("no call has more keys than the limit, and no more calls than the limit are in flight", async () => {
  const { lookUp, calls, begun, endOldest } = recorder({ mostKeys: 2, mostInFlight: 2 });
  const all = Promise.all(["a", "b", "c", "d", "e", "f", "g"].map(lookUp));
  await begun(2);
  await turns();
  expect(calls).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
  endOldest();
  await begun(3);
  await turns();
  expect(calls.slice(2)).toEqual([["e", "f"]]);
  endOldest();
  await begun(4);
  endOldest();
  endOldest();
  expect(await all).toHaveLength(7);
  expect(calls.slice(3)).toEqual([["g"]]);
});

test("a failure rejects those that shared the call, and no later one", async () => {
  const { lookUp, begun, endOldest } = recorder();
  const first = lookUp("a");
  await begun(1);
  const refused = Promise.all(["bad", "c"].map((key) => expect(lookUp(key)).rejects.toThrow("refused")));
  endOldest();
  await first;
  await begun(2);
  const later = lookUp("d");
  endOldest();
  await refused;
  await begun(3);
  endOldest();
  expect(await later).toBe("result for d");
});

test("an error for one key rejects the calls for that key only", async () => {
  const { lookUp, begun, endOldest } = recorder();
  const refused = [lookUp("worse"), lookUp("worse")].map((call) => expect(call).rejects.toThrow("refused"));
  const other = lookUp("a");
  await begun(1);
  endOldest();
  expect(await other).toBe("result for a");
  await Promise.all(refused);
});

test("a look-up that returns no result for a key does not reveal the key", async () => {
  const lookUp = coalesce<string>(async () => new Map(), ONE_AT_A_TIME);
  await expect(lookUp("cst_secret")).rejects.toThrow(/^a look-up returned no result for a key$/);
});

test("one that throws before it begins makes room for the next", async () => {
  let isBroken = true;
  const lookUp = coalesce<string>((keys) => {
    if (isBroken) throw new Error("broken");
    return Promise.resolve(new Map(keys.map((key) => [key, key])));
  }, ONE_AT_A_TIME);
  await expect(lookUp("a")).rejects.toThrow("broken");
  isBroken = false;
  expect(await lookUp("b")).toBe("b");
});

test("a look-up that hangs delays the others by the patience, and ends its turn once", async () => {
  jest.useFakeTimers({ doNotFake: ["setImmediate", "nextTick", "performance", "Date", "queueMicrotask"] });
  try {
    const { lookUp, calls, endOldest } = recorder({ patienceMs: 100 });
    const hangs = lookUp("a");
    await turns();
    const second = lookUp("b");
    jest.advanceTimersByTime(99);
    await turns();
    expect(calls).toEqual([["a"]]);
    jest.advanceTimersByTime(1);
    await turns();
    expect(calls).toEqual([["a"], ["b"]]);
    // Its end makes no room: the turn that it had is b's.
    endOldest();
    await hangs;
    const third = lookUp("c");
    await turns();
    expect(calls).toHaveLength(2);
    endOldest();
    await second;
    await turns();
    expect(calls).toHaveLength(3);
    endOldest();
    expect(await third).toBe("result for c");
  } finally {
    jest.useRealTimers();
  }
});

test("after a look-up it pauses as long as it is asked to", async () => {
  const rests: number[] = [];
  const { lookUp, calls, begun, endOldest } = recorder({
    restAfter: (keys) => {
      rests.push(keys);
      return 1;
    },
  });
  const all = Promise.all(["a", "b"].map(lookUp));
  await begun(1);
  endOldest();
  await all;
  const next = lookUp("c");
  await begun(2);
  endOldest();
  await next;
  expect([rests, calls]).toEqual([
    [2, 1],
    [["a", "b"], ["c"]],
  ]);
});
