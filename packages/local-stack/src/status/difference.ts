import type { CountedSeries, Figures, MetricSample } from "./snapshot.ts";

/** Returns what each series of a histogram has counted between two samples. */
export function differenceOf(name: string, before: MetricSample | undefined, now: MetricSample): CountedSeries[] {
  const earlier = new Map(before?.histogram(name).map((series) => [keyOf(series), series]));
  return now.histogram(name).map((series) => {
    const since = earlier.get(keyOf(series));
    // Without an earlier sample, nothing is recent.
    if (before === undefined) return { ...series, count: 0, buckets: [] };
    if (since === undefined) return series;
    const buckets = series.buckets.map(
      ([bound, count], index) => [bound, count - (since.buckets[index]?.[1] ?? 0)] as const,
    );
    return { labels: series.labels, count: series.count - since.count, buckets };
  });
}

/** Returns by how much a counter grew, its series together. */
export function increaseOf(name: string, before: MetricSample | undefined, now: MetricSample): number {
  return before === undefined ? 0 : sumOf(name, now) - sumOf(name, before);
}

/** Returns the sum of a metric's series. */
export function sumOf(name: string, sample: MetricSample): number {
  return sample.values(name).reduce((sum, { value }) => sum + value, 0);
}

/** Returns the figures of series together. `isError` decides by the labels of each. */
export function figuresOf(
  series: readonly CountedSeries[],
  seconds: number,
  isError: (labels: CountedSeries["labels"]) => boolean,
): Figures {
  const count = (all: readonly CountedSeries[]) => all.reduce((sum, one) => sum + one.count, 0);
  return {
    perSecond: rounded(count(series) / seconds),
    errorsPerSecond: rounded(count(series.filter(({ labels }) => isError(labels))) / seconds),
    p99Ms: p99Of(series),
  };
}

/** Returns the 99th percentile in milliseconds, interpolated within its bucket; null if there is nothing. */
export function p99Of(series: readonly CountedSeries[]): number | null {
  const total = new Map<number, number>();
  for (const { buckets } of series) {
    for (const [bound, count] of buckets) total.set(bound, (total.get(bound) ?? 0) + count);
  }
  const all = total.get(Number.POSITIVE_INFINITY) ?? 0;
  if (all === 0) return null;
  const wanted = all * 0.99;
  let [lower, below] = [0, 0];
  for (const [bound, count] of [...total].sort(([a], [b]) => a - b)) {
    if (count >= wanted) {
      const upper = Number.isFinite(bound) ? bound : lower;
      const share = count === below ? 1 : (wanted - below) / (count - below);
      return rounded((lower + (upper - lower) * share) * 1_000);
    }
    [lower, below] = [bound, count];
  }
  return null;
}

export const rounded = (value: number) => Math.round(value * 100) / 100;

const keyOf = ({ labels }: CountedSeries) => JSON.stringify(labels);
