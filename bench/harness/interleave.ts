/**
 * Measures every contestant once in each round, in turn, so that whatever else the machine does meets all of them. The
 * order is reversed in every second round. Returns the measurements of each in the order of the rounds.
 */
export async function interleave<Side, Measured>(
  sides: readonly Side[],
  rounds: number,
  measure: (side: Side) => Promise<Measured>,
): Promise<Map<Side, Measured[]>> {
  const measured = new Map<Side, Measured[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? sides : sides.toReversed();
    for (const side of order) measured.get(side)?.push(await measure(side));
  }
  return measured;
}
