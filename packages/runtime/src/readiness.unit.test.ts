import { expect, test } from "@jest/globals";
import { atMostOncePerSecond } from "./operator-server.ts";

/** A check that counts its runs, and a clock that the test sets. */
function stage() {
  const runs: PromiseWithResolvers<number>[] = [];
  const clock = { ms: 0 };
  const check = async () => {
    const run = Promise.withResolvers<number>();
    return runs.push(run) && (await run.promise);
  };
  return { runs, clock, ask: atMostOncePerSecond(check, () => clock.ms) };
}

test("200 concurrent calls share one check, and so do the calls of the following second", async () => {
  const { runs, clock, ask } = stage();
  const asked = Array.from({ length: 200 }, ask);
  runs[0]?.resolve(1);
  expect(new Set(await Promise.all(asked))).toEqual(new Set([1]));
  clock.ms = 999;
  expect(await ask()).toBe(1);
  expect(runs).toHaveLength(1);
});

test("a second later it is checked again", async () => {
  const { runs, clock, ask } = stage();
  const first = ask();
  runs[0]?.resolve(1);
  await first;
  clock.ms = 1_000;
  const second = ask();
  runs[1]?.resolve(2);
  expect(await second).toBe(2);
});

test("a check that takes longer than a second is not begun a second time", async () => {
  const { runs, clock, ask } = stage();
  const first = ask();
  clock.ms = 5_000;
  const second = ask();
  runs[0]?.resolve(1);
  expect([await first, await second, runs.length]).toEqual([1, 1, 1]);
});

test("a failed check fails for all its callers, and is repeated a second later", async () => {
  const { runs, clock, ask } = stage();
  const asked = [ask(), ask()];
  runs[0]?.reject(new Error("down"));
  for (const one of asked) await expect(one).rejects.toThrow("down");
  clock.ms = 1_000;
  const again = ask();
  runs[1]?.resolve(2);
  expect(await again).toBe(2);
});
