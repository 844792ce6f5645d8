import { expect, test } from "@jest/globals";
import { startLoad } from "./start-load.ts";
import { waitFor } from "./wait-for.ts";

test("work is started at the requested rate although none completes, and waiting time counts", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const load = startLoad(200, async (index) => {
    await gate;
    if (index === 3) throw new Error("fourth");
    return index;
  });
  await waitFor(() => (load.running() >= 20 ? true : undefined), { deadlineMs: 2000 });
  expect(load.samples()).toEqual([]);
  open();
  const samples = await load.stop();
  expect(samples.length).toBeGreaterThanOrEqual(20);
  expect(samples.slice(0, 3).map(({ at, result }) => [at, result])).toEqual([
    [0, 0],
    [5, 1],
    [10, 2],
  ]);
  expect(samples[3]?.error).toEqual(new Error("fourth"));
  expect(samples[0]?.ms).toBeGreaterThanOrEqual(90);
  expect(load.running()).toBe(0);
});
