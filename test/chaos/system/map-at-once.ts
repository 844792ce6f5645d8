/** Runs `work` for every item, at most `count` concurrently. Returns the results in the order of the list. */
export async function mapAtOnce<T, U>(count: number, list: readonly T[], work: (item: T) => Promise<U>): Promise<U[]> {
  const results: U[] = [];
  const queue = list.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: count }, worker));
  return results;
}
