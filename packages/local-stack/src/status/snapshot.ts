import type { Telemetry } from "@cloud/runtime/telemetry";

/** The content of the status page at one moment. */
export interface Snapshot {
  readonly programs: readonly ProgramStatus[];
  readonly calls: readonly CallStatus[];
  /** The busiest operations. */
  readonly operations: readonly OperationStatus[];
  readonly outboxes: readonly OutboxStatus[];
  readonly consumers: readonly ConsumerStatus[];
  readonly parked: readonly { readonly consumer: string; readonly reason: string; readonly rows: number }[];
  /** The state of NATS: `refused` and `unreachable` if that is so for any service. */
  readonly nats: "in process" | "connected" | "refused" | "unreachable";
  readonly process: { readonly cores: number; readonly memoryBytes: number; readonly eventLoopP99Ms: number };
}

/** The figures of the last seconds. */
export interface Figures {
  readonly perSecond: number;
  /** Errors of the service, not of its callers. */
  readonly errorsPerSecond: number;
  /** Null if nothing happened. */
  readonly p99Ms: number | null;
}

export interface ProgramStatus extends Figures {
  readonly name: string;
  readonly ready: boolean;
  readonly inFlight: number;
  readonly refusedPerSecond: number;
  /** Connections to Postgres; null for a program without any. */
  readonly pool: { readonly used: number; readonly max: number; readonly waiting: number } | null;
  /** Null for a program that has none. */
  readonly watches: number | null;
  /** The conditions that an operator must act on, one line each. */
  readonly conditions: readonly string[];
}

/** The calls of one program to another. */
export interface CallStatus extends Figures {
  readonly from: string;
  readonly to: string;
}

export interface OperationStatus extends Figures {
  readonly program: string;
  readonly name: string;
}

interface OutboxStatus {
  readonly service: string;
  readonly rows: number;
  readonly seconds: number;
  readonly publishedPerSecond: number;
}

export interface ConsumerStatus {
  readonly consumer: string;
  readonly type: string;
  /** Null while NATS is away. */
  readonly lag: number | null;
  readonly appliedPerSecond: number;
  readonly p99Ms: number | null;
}

type Labels = Readonly<Record<string, string | number>>;

/** The counts of a histogram since the program started. */
export interface CountedSeries {
  readonly labels: Labels;
  readonly count: number;
  /** Cumulative, by upper bound in seconds. */
  readonly buckets: readonly (readonly [bound: number, count: number])[];
}

/** The metrics of one program at one moment. */
export interface MetricSample {
  /** Returns the values of a counter or a gauge. */
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

/** Returns the series of a histogram, whose values follow each other: its buckets, its sum, its count. */
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
