import { expect, test } from "@jest/globals";
import { measureUntil } from "./measure-until.ts";

test.each([
  [[1], 1, 1],
  [[9, 1], 2, 1],
  [[9, 9, 9, 1], 3, 9],
])("for the figures %j it makes %j attempts", async (figures, attempts, ms) => {
  const left = [...figures];
  const measured = await measureUntil(
    (one) => one.ms < 5,
    async () => ({ ms: left.shift() ?? 0 }),
  );
  expect(measured).toEqual({ ms, attempts });
});
