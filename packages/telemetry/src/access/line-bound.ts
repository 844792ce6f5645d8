/** Creates a bound of `perSecond`, which returns whether one more is within it. Seconds are those of `now`, in milliseconds. */
export function createLineBound(perSecond: number, now: () => number): () => boolean {
  let [second, count] = [0, 0];
  return () => {
    const current = Math.floor(now() / 1_000);
    if (current !== second) [second, count] = [current, 0];
    count++;
    return count <= perSecond;
  };
}
