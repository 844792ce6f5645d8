import { Counter, Gauge, type Registry } from "@cloud/telemetry";

export type MessagingMetrics = ReturnType<typeof messagingMetrics>;

/** The metrics of messaging; the same ones for several relays and consumers of one program. */
export function messagingMetrics(registry: Registry) {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    (registry.getSingleMetric(name) as Counter<Label> | undefined) ??
    new Counter({ name, help, labelNames, registers: [registry] });
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    (registry.getSingleMetric(name) as Gauge<Label> | undefined) ??
    new Gauge({ name, help, labelNames, registers: [registry] });
  const published = "events that the stream confirmed";
  const republished = "events published again because the stream had lost them";
  return {
    connected: gauge("messaging_connected", "1 while NATS can be reached, else 0", []),
    backlog: gauge("messaging_outbox_backlog_rows", "events not yet published, counted up to 10000", ["source"]),
    oldest: gauge("messaging_outbox_oldest_seconds", "age of the oldest event not yet published", ["source"]),
    published: counter("messaging_published_total", published, ["source"]),
    republished: counter("messaging_republished_total", republished, ["source"]),
    consumed: counter("messaging_consumed_total", "events applied", ["consumer", "type"]),
    duplicates: counter("messaging_duplicates_total", "deliveries of events applied before", ["consumer", "type"]),
    retries: counter("messaging_retries_total", "tries that failed and are repeated", ["consumer", "type"]),
    parked: counter("messaging_parked_total", "messages parked after their last try", ["consumer", "type"]),
  };
}
