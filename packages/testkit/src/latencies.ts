/** Milliseconds, rounded to hundredths. */
export interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Returns the nearest-rank percentiles of durations in milliseconds; NaN if there are none. */
export function latenciesOf(durations: readonly number[]): Latencies {
  const sorted = [...durations].sort((a, b) => a - b);
  const at = (part: number) => {
    const value = sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
    return Math.round(value * 100) / 100;
  };
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
