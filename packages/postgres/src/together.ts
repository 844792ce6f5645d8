type Results<Work extends readonly unknown[]> = { -readonly [Index in keyof Work]: Awaited<Work[Index]> };

/**
 * Returns the results of work that began in one go, so that the first statements of all share a round trip. Throws the
 * error of the first in the list that failed, once all have ended: as if each had waited for the one before it.
 */
export async function together<const Work extends readonly Promise<unknown>[]>(work: Work): Promise<Results<Work>> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as Results<Work>;
}
