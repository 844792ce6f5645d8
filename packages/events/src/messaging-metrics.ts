import { Counter, createDurations, Gauge, type Histogram, type Registry } from "@cloud/runtime/telemetry";

export type MessagingMetrics = ReturnType<typeof messagingMetrics>;

/** Returns the metrics of messaging; all relays and consumers of a program share them. */
export function messagingMetrics(registry: Registry) {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    (registry.getSingleMetric(name) as Counter<Label> | undefined) ??
    new Counter({ name, help, labelNames, registers: [registry] });
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    (registry.getSingleMetric(name) as Gauge<Label> | undefined) ??
    new Gauge({ name, help, labelNames, registers: [registry] });
  const published = "events that the stream confirmed";
  const lost = "published events that the stream no longer held; they are published again";
  const republished = "events that the stream had lost and stored again";
  return {
    connected: gauge("messaging_connected", "1 while connected to NATS, else 0", []),
    login: gauge("messaging_nats_login", "1 at what the last attempt to log in to NATS led to", ["state"]),
    refusedLogins: counter("messaging_refused_logins_total", "attempts to connect that NATS refused", []),
    backlog: gauge("messaging_outbox_backlog_rows", "events not yet published, counted up to 10000", ["source"]),
    oldest: gauge(
      "messaging_outbox_oldest_seconds",
      "age of the oldest event not yet published, 0 after a step back of the clock",
      ["source"],
    ),
    published: counter("messaging_published_total", published, ["source"]),
    lost: counter("messaging_lost_total", lost, ["source"]),
    republished: counter("messaging_republished_total", republished, ["source"]),
    consumed: counter("messaging_consumed_total", "events applied", ["consumer", "type"]),
    duplicates: counter("messaging_duplicates_total", "deliveries of events applied before", ["consumer", "type"]),
    retries: counter("messaging_retries_total", "failed attempts that are repeated", ["consumer", "type"]),
    refuted: counter("messaging_refuted_total", "deletions parked because their record exists", ["consumer", "type"]),
    parked: counter("messaging_parked_total", "messages parked after their last attempt", ["consumer", "type"]),
    parkedRows: gauge(
      "messaging_parked_messages",
      "messages parked and not yet replayed, read from the table every 5 s and counted up to 10000",
      ["consumer", "reason"],
    ),
    lag: gauge(
      "messaging_consumer_lag_messages",
      "events not delivered yet, or delivered to this program and not yet applied; absent while NATS is away",
      ["consumer", "type"],
    ),
    processed: processDurations(registry),
  };
}

const DURATION = "messaging_process_duration_seconds";

function processDurations(registry: Registry): Histogram<"consumer" | "type" | "outcome"> {
  const known = registry.getSingleMetric(DURATION) as ReturnType<typeof processDurations> | undefined;
  const help = "how long events took from their delivery until they were applied, parked or released";
  return known ?? createDurations({ name: DURATION, help, labelNames: ["consumer", "type", "outcome"], registry });
}
