import type { Telemetry } from "@cloud/telemetry";

type Labels = Readonly<Record<string, string | number>>;

/** What a histogram has counted since the program started. */
export interface CountedSeries {
  readonly labels: Labels;
  readonly count: number;
  /** Cumulative, by upper bound in seconds. */
  readonly buckets: readonly (readonly [bound: number, count: number])[];
}

/** The metrics of one program at one moment. */
export interface MetricSample {
  /** Of a counter or a gauge. */
  values(name: string): readonly { readonly labels: Labels; readonly value: number }[];
  histogram(name: string): readonly CountedSeries[];
}

interface Value {
  readonly labels: Labels;
  readonly value: number;
  readonly metricName?: string;
}

/** Reads all metrics of a program. */
export async function readSample(metrics: Telemetry["metrics"]): Promise<MetricSample> {
  const all = new Map<string, readonly Value[]>();
  for (const { name, values } of await metrics.getMetricsAsJSON()) {
    // Copied: prom-client counts on in the objects that it returns.
    all.set(
      name,
      (values as readonly Value[]).map((value) => ({ ...value })),
    );
  }
  const values = (name: string) => all.get(name) ?? [];
  return { values, histogram: (name) => seriesOf(name, values(name)) };
}

/** A series' values follow each other: its buckets, its sum, its count. */
function seriesOf(name: string, values: readonly Value[]): CountedSeries[] {
  const series: CountedSeries[] = [];
  let buckets: [number, number][] = [];
  for (const { metricName, labels, value } of values) {
    if (metricName === `${name}_bucket`) {
      buckets.push([labels["le"] === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels["le"]), value]);
    }
    if (metricName === `${name}_count`) {
      series.push({ labels, count: value, buckets });
      buckets = [];
    }
  }
  return series;
}
