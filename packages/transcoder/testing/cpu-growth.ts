/** CPU time in milliseconds, for work of two sizes, each once. */
export interface Growth {
  readonly small: number;
  readonly large: number;
}

type Work = (bytes: number) => unknown;
/** Returns the CPU time in milliseconds that the work adds to. */
type ReadCpu = () => number;

/** The large size by the small one. */
export interface Sizes {
  readonly small: number;
  readonly large: number;
}

/**
 * Returns the growth of work that takes linear time: for `factor` times the bytes about as many times the CPU time, and
 * no more than `budget` milliseconds. The square root of the factor is allowed on top, which lies in the middle between
 * linear and quadratic work, and 20 ms for what the collector of garbage does meanwhile. The small work is done as often as
 * the large one is larger, so that both leave as much garbage: once, it may leave too little to be collected, and the large
 * one then seemed to take 70 times as much instead of 16. Measures up to six times and keeps the least of each size: what else
 * runs on the machine takes time from some runs, not from all. `readCpu` is of this process unless given, and `tickMs` is its
 * step: what takes less may be counted as nothing.
 *
 * @returns undefined for work that takes longer.
 */
export async function linearGrowth(
  work: Work,
  sizes: Sizes,
  budget: number,
  readCpu: ReadCpu = ownCpu,
  tickMs = 0,
): Promise<Growth | undefined> {
  const factor = sizes.large / sizes.small;
  let growth: Growth = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  for (let run = 0; run < 6; run++) {
    const { small, large } = growth;
    growth = {
      small: Math.min(small, (await cpuOf(() => repeat(work, sizes.small, factor), readCpu)) / factor),
      large: Math.min(large, await cpuOf(() => work(sizes.large), readCpu)),
    };
    if (run > 0 && growth.large <= factor ** 1.5 * Math.max(growth.small, tickMs) + 20 && growth.large <= budget)
      return growth;
  }
  return undefined;
}

async function repeat(work: Work, bytes: number, times: number): Promise<void> {
  for (let time = 0; time < times; time++) await work(bytes);
}

/** Returns the least CPU time of five runs. */
export async function leastCpu(work: () => unknown, readCpu: ReadCpu = ownCpu): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5; run++) least = Math.min(least, await cpuOf(work, readCpu));
  return least;
}

async function cpuOf(work: () => unknown, readCpu: ReadCpu): Promise<number> {
  const before = readCpu();
  await work();
  return readCpu() - before;
}

function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
