import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** A random sequence that is the same for the same seed. */
export interface Random {
  /** An integer from `min` to `max`, inclusive. */
  between(min: number, max: number): number;
  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
  shuffle<T>(list: readonly T[]): T[];
}

export function createRandom(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  const between = (min: number, max: number) => uniformInt(generator, min, max);
  return {
    between,
    chance: (percent) => between(0, 99_999) < percent * 1000,
    pick: (list) => list[between(0, list.length - 1)] ?? list[0],
    shuffle: (list) => {
      const shuffled = [...list];
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = between(0, last);
        [shuffled[last], shuffled[other]] = [shuffled[other] as never, shuffled[last] as never];
      }
      return shuffled;
    },
  };
}
