/** Does `count` pieces of work, at most `width` of them at a time, and answers their results in order. */
export async function sideBySide<T>(count: number, width: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}
