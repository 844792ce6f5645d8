import { startAfter } from "./start-after.ts";

/**
 * Runs `count` pieces of work, at most `width` concurrently, and returns their results in order. The first ones start
 * `rampMs` milliseconds apart, so that they do not overload a cold system all at once.
 */
export async function sideBySide<T>(
  count: number,
  width: number,
  work: (index: number) => Promise<T>,
  rampMs = 0,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: width }, (_, index) => startAfter(index * rampMs, lane)));
  return results;
}
