import { waitFor } from "@cloud/testkit";
import { expect, test } from "@jest/globals";
import { coalesce } from "./coalesce.ts";

function recorder(limit: number) {
  const calls: string[][] = [];
  const gate = Promise.withResolvers<void>();
  const lookUp = coalesce<string>(async (keys) => {
    calls.push([...keys]);
    await gate.promise;
    if (keys.includes("bad")) throw new Error("refused");
    return new Map(keys.map((key) => [key, `result for ${key}`]));
  }, limit);
  return { lookUp, calls, open: gate.resolve };
}

test("look-ups made during a call are combined in the next one", async () => {
  const { lookUp, calls, open } = recorder(1_000);
  const first = lookUp(["a"]);
  await waitFor(() => (calls.length === 1 ? true : undefined), { deadlineMs: 1_000 });
  const others = [lookUp(["b"]), lookUp(["c", "b"]), lookUp(["d"])];
  open();
  expect((await first).get("a")).toBe("result for a");
  expect((await Promise.all(others)).map((results) => [...results.values()])).toEqual([
    ["result for b"],
    ["result for c", "result for b"],
    ["result for d"],
  ]);
  expect(calls).toEqual([["a"], ["b", "c", "d"]]);
});

test("no call has more keys than the limit", async () => {
  const { lookUp, calls, open } = recorder(2);
  open();
  expect((await lookUp(["a", "b", "c"])).size).toBe(3);
  expect(calls).toEqual([["a", "b"], ["c"]]);
});

test("a failure rejects those that shared the call, and no later one", async () => {
  const { lookUp, calls, open } = recorder(1_000);
  const first = lookUp(["a"]);
  await waitFor(() => (calls.length === 1 ? true : undefined), { deadlineMs: 1_000 });
  const [second, third] = [lookUp(["bad"]), lookUp(["c"])];
  const refused = Promise.all([expect(second).rejects.toThrow("refused"), expect(third).rejects.toThrow("refused")]);
  open();
  await first;
  await refused;
  expect((await lookUp(["d"])).get("d")).toBe("result for d");
});
