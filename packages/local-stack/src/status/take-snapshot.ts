import { differenceOf, figuresOf, increaseOf, p99Of, rounded, sumOf } from "./difference.ts";
import type {
  CallStatus,
  ConsumerStatus,
  CountedSeries,
  MetricSample,
  OperationStatus,
  ProgramStatus,
  Snapshot,
} from "./snapshot.ts";

/** The metrics of all programs at one moment. */
export interface SystemSample {
  /** The time by `performance.now()`, in milliseconds. */
  readonly at: number;
  readonly programs: ReadonlyMap<string, ProgramSample>;
}

export interface ProgramSample {
  readonly metrics: MetricSample;
  readonly ready: boolean;
  readonly conditions: readonly string[];
}

/**
 * Returns the snapshot between two samples: rates and percentiles cover the time between them. Without an earlier
 * sample, all of them are 0.
 */
export function takeSnapshot(before: SystemSample | undefined, now: SystemSample): Snapshot {
  const seconds = before === undefined ? 1 : Math.max(0.1, (now.at - before.at) / 1_000);
  const programs = [...now.programs].map(([name, sample]) => {
    const earlier = before?.programs.get(name)?.metrics;
    return { name, sample, earlier, ...changesOf(earlier, sample.metrics) };
  });
  const services = programs.filter(({ sample }) => sample.metrics.values("messaging_outbox_backlog_rows").length > 0);
  return {
    programs: programs.map(({ name, sample, earlier, served }) =>
      programStatus(name, sample, earlier, served, seconds),
    ),
    calls: [
      ...programs.flatMap(({ name, served }) =>
        name === "gateway" ? [{ from: "client", to: name, ...figuresOf(served, seconds, isFault) }] : [],
      ),
      ...programs.flatMap(({ name, calls }) => callsOf(name, calls, seconds)),
    ],
    operations: programs
      .flatMap(({ name, served }) => operationsOf(name, served, seconds))
      .sort((a, b) => b.perSecond - a.perSecond)
      .slice(0, MAX_OPERATIONS),
    outboxes: services.map(({ name, sample: { metrics }, earlier }) => ({
      service: name,
      rows: sumOf("messaging_outbox_backlog_rows", metrics),
      seconds: rounded(sumOf("messaging_outbox_oldest_seconds", metrics)),
      publishedPerSecond: rounded(increaseOf("messaging_published_total", earlier, metrics) / seconds),
    })),
    consumers: services.flatMap(({ sample, handled }) => consumersOf(sample.metrics, handled, seconds)),
    parked: services.flatMap(({ sample }) =>
      sample.metrics
        .values("messaging_parked_messages")
        .filter(({ value }) => value > 0)
        .map(({ labels, value }) => ({
          consumer: String(labels["consumer"]),
          reason: String(labels["reason"]),
          rows: value,
        })),
    ),
    nats: natsOf(services.map(({ sample }) => sample.metrics)),
    process: processOf(before?.programs.get("gateway"), now.programs.get("gateway"), seconds),
  };
}

const REQUESTS = "http_server_request_duration_seconds";
const SERVED = "rpc_server_call_duration_seconds";
const CALLS = "rpc_client_call_duration_seconds";
const HANDLED = "messaging_process_duration_seconds";
const MAX_OPERATIONS = 12;

/** The codes of the service's own errors: the caller did nothing wrong. */
const FAULTS = new Set(["INTERNAL", "UNKNOWN", "UNAVAILABLE", "DEADLINE_EXCEEDED", "DATA_LOSS"]);

type Labels = CountedSeries["labels"];
const isFault = (labels: Labels) =>
  Number(labels["http_response_status_code"] ?? 0) >= 500 || FAULTS.has(String(labels["rpc_response_status_code"]));
const isOwn = ({ labels }: CountedSeries) => !String(labels["rpc_method"] ?? "").startsWith("grpc.");
const isBrief = ({ labels }: CountedSeries) => !String(labels["http_route"] ?? "").endsWith(":watch");

function changesOf(before: MetricSample | undefined, now: MetricSample) {
  const served = [...differenceOf(REQUESTS, before, now), ...differenceOf(SERVED, before, now)];
  return {
    served: served.filter((series) => isOwn(series) && isBrief(series)),
    calls: differenceOf(CALLS, before, now).filter(isOwn),
    handled: differenceOf(HANDLED, before, now),
  };
}

function programStatus(
  name: string,
  { metrics, ready, conditions }: ProgramSample,
  before: MetricSample | undefined,
  served: readonly CountedSeries[],
  seconds: number,
): ProgramStatus {
  const used = metrics
    .values("db_client_connections")
    .filter(({ labels }) => labels["db_client_connection_state"] === "used")
    .reduce((sum, { value }) => sum + value, 0);
  const max = sumOf("db_client_connection_max", metrics);
  const waiting = sumOf("db_client_connection_pending_requests", metrics);
  const isGateway = metrics.values("http_server_active_requests").length > 0;
  return {
    name,
    ready,
    conditions,
    ...figuresOf(served, seconds, isFault),
    inFlight: sumOf(isGateway ? "http_server_active_requests" : "admission_in_flight", metrics),
    refusedPerSecond: rounded(increaseOf("admission_refused_total", before, metrics) / seconds),
    pool: max === 0 ? null : { used, max, waiting },
    watches: metrics.values("semaphore_in_flight").find(({ labels }) => labels["work"] === "watches")?.value ?? null,
  };
}

function callsOf(from: string, calls: readonly CountedSeries[], seconds: number): CallStatus[] {
  const peers = Map.groupBy(calls, ({ labels }) => String(labels["server_address"]));
  return [...peers].map(([to, series]) => ({ from, to, ...figuresOf(series, seconds, isFault) }));
}

function operationsOf(program: string, served: readonly CountedSeries[], seconds: number): OperationStatus[] {
  const operations = Map.groupBy(served, ({ labels }) =>
    labels["rpc_method"] === undefined ? nameOfRequest(labels) : String(labels["rpc_method"]),
  );
  return [...operations]
    .map(([name, series]) => ({ program, name, ...figuresOf(series, seconds, isFault) }))
    .filter(({ perSecond }) => perSecond > 0);
}

function nameOfRequest({ http_request_method: method, http_route: route }: Labels): string {
  return route === "none" ? "no such path" : `${method} ${route}`;
}

function consumersOf(metrics: MetricSample, handled: readonly CountedSeries[], seconds: number): ConsumerStatus[] {
  const lags = metrics.values("messaging_consumer_lag_messages");
  return metrics.values("messaging_consumed_total").map(({ labels }) => {
    const isSame = (other: { readonly labels: Labels }) => other.labels["type"] === labels["type"];
    const own = handled.filter(isSame);
    const applied = own.filter((series) => series.labels["outcome"] === "applied");
    return {
      consumer: String(labels["consumer"]),
      type: String(labels["type"]),
      lag: lags.find(isSame)?.value ?? null,
      appliedPerSecond: rounded(applied.reduce((sum, { count }) => sum + count, 0) / seconds),
      p99Ms: p99Of(own),
    };
  });
}

function natsOf(services: readonly MetricSample[]): Snapshot["nats"] {
  const states = services.flatMap((metrics) => metrics.values("messaging_nats_login"));
  if (states.length === 0) return "in process";
  const is = (state: string) => states.some(({ labels, value }) => labels["state"] === state && value === 1);
  if (is("refused")) return "refused";
  return services.some((metrics) => sumOf("messaging_connected", metrics) === 0) ? "unreachable" : "connected";
}

/** Returns the figures of the process: all programs share one, which the gateway measures. */
function processOf(before: ProgramSample | undefined, now: ProgramSample | undefined, seconds: number) {
  if (now === undefined) return { cores: 0, memoryBytes: 0, eventLoopP99Ms: 0 };
  return {
    cores: rounded(increaseOf("process_cpu_seconds_total", before?.metrics, now.metrics) / seconds),
    memoryBytes: sumOf("process_resident_memory_bytes", now.metrics),
    eventLoopP99Ms: rounded(sumOf("nodejs_eventloop_delay_p99_seconds", now.metrics) * 1_000),
  };
}
