import { startAfter } from "./start-after.ts";

/**
 * Does `count` pieces of work, at most `width` of them at a time, and answers their results in order. The first ones begin
 * `rampMs` milliseconds after each other, where a cold system would choke on all of them at once.
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
