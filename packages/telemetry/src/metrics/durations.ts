import type { Histogram, Registry } from "prom-client";

/**
 * Upper bounds in seconds: those that OpenTelemetry advises for requests, and two below, because a read by id takes 1 to
 * 3 ms.
 */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const;

export interface DurationsOptions {
  /** Ends in `_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly registry: Registry;
}

/** The durations of one combination of labels. */
export interface DurationSeries {
  observe(seconds: number): void;
}

/** A histogram whose series are found once and then only added to. */
export interface Durations {
  /**
   * Returns the series of these values, in the order of the label names, and creates it the first time. Finding it costs more
   * than adding to it, so callers keep it. Values come from a catalogue, never from a client: each one is kept.
   */
  series(...values: readonly string[]): DurationSeries;
}

/**
 * Creates a histogram of durations. An observation is two additions and up to 16 comparisons; prom-client's own looks its
 * labels up each time. ADR 34 has the figures.
 */
export function createDurations({ name, help, labelNames, registry }: DurationsOptions): Durations {
  const all = new Map<string, Series>();
  const collect = (valuesOf: (series: Series) => object[]) => ({
    name,
    help,
    type: "histogram",
    values: [...all.values()].flatMap(valuesOf),
    aggregator: "sum",
  });
  // What prom-client's registry needs of a metric.
  const metric = {
    name,
    help,
    labelNames,
    get: async () => collect((series) => valuesOf(name, series).map(mergeLabels)),
    getForPromString: async () => collect((series) => valuesOf(name, series)),
    reset: () => all.clear(),
  };
  registry.registerMetric(metric as unknown as Histogram);
  return {
    series: (...values) => {
      const key = values.join("\0");
      const known = all.get(key);
      if (known !== undefined) return known;
      const created = new Series(Object.fromEntries(labelNames.map((label, index) => [label, values[index] ?? ""])));
      all.set(key, created);
      return created;
    },
  };
}

class Series implements DurationSeries {
  /** The last one counts what is above all bounds. */
  readonly counts = new Float64Array(BOUNDS.length + 1);
  readonly labels: Readonly<Record<string, string>>;
  sum = 0;

  constructor(labels: Readonly<Record<string, string>>) {
    this.labels = labels;
  }

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket++;
    (this.counts[bucket] as number) += 1;
    this.sum += seconds;
  }
}

interface MetricValue {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Those that all values of a series have: prom-client writes them once for all. */
  readonly sharedLabels: Readonly<Record<string, string>>;
  readonly value: number;
}

function valuesOf(name: string, { counts, sum, labels: sharedLabels }: Series): MetricValue[] {
  let total = 0;
  const values: MetricValue[] = [...BOUNDS, "+Inf"].map((le, bucket) => {
    total += counts[bucket] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le }, sharedLabels, value: total };
  });
  values.push({ metricName: `${name}_sum`, labels: {}, sharedLabels, value: sum });
  values.push({ metricName: `${name}_count`, labels: {}, sharedLabels, value: total });
  return values;
}

function mergeLabels({ labels, sharedLabels, ...rest }: MetricValue) {
  return { ...rest, labels: { ...sharedLabels, ...labels } };
}
