import { expect, test } from "@jest/globals";
import { startLoad } from "./start-load.ts";

/** A clock that stands still while nothing pauses, and from `end` on. */
function clockUntil(end: number) {
  const ended = Promise.withResolvers<void>();
  let ms = 0;
  const pause = async (pauseMs: number, signal: AbortSignal) => {
    if (ms < end) {
      ms = Math.min(end, ms + pauseMs);
      return;
    }
    ended.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  };
  return { clock: { read: () => ms, pause }, ended: ended.promise };
}

test("work is started at the requested rate although none completes, and waiting time counts", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { clock, ended } = clockUntil(99);
  const work = async (index: number) => {
    await gate;
    if (index === 3) throw new Error("fourth");
    return index;
  };
  const load = startLoad(200, work, clock);
  await ended;
  expect([load.running(), load.samples()]).toEqual([20, []]);
  open();
  const samples = await load.stop();
  expect(samples).toHaveLength(20);
  expect(samples.slice(0, 3)).toEqual([
    { at: 0, ms: 99, result: 0 },
    { at: 5, ms: 94, result: 1 },
    { at: 10, ms: 89, result: 2 },
  ]);
  expect(samples[3]?.error).toEqual(new Error("fourth"));
  expect(load.running()).toBe(0);
});
