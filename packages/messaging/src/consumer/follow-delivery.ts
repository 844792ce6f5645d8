import { correlate, type Telemetry } from "@cloud/telemetry";
import { readEventCorrelation } from "../event-correlation.ts";
import type { Delivery } from "../event-transport.ts";
import type { MessagingMetrics } from "../messaging-metrics.ts";
import type { Effect } from "./effect.ts";
import type { Ending } from "./ending.ts";

/**
 * Handles a message for the request that caused it: the lines, calls and events of its effect have the id of that request.
 * Measures it, and reports an event that was applied by a line of the access log, and each handling by a span while tracing is on.
 */
export async function followDelivery(
  { access, tracing }: Pick<Telemetry, "access" | "tracing">,
  { processed }: Pick<MessagingMetrics, "processed">,
  consumer: string,
  { type, subject }: Effect,
  { headers }: Delivery,
  handle: () => Promise<Ending>,
): Promise<void> {
  const cause = readEventCorrelation(headers);
  const eventId = headers["ce-id"] ?? "";
  const span = tracing?.start(`process ${type}`, "consumer", cause, {
    "messaging.system": "nats",
    "messaging.operation.type": "process",
    "messaging.destination.name": subject,
    "messaging.message.id": eventId.slice(0, 100),
    ...(cause && { "cloud.request_id": cause.requestId }),
  });
  const correlation = span?.correlation ?? cause;
  const startedAt = performance.now();
  const ending = await correlate(correlation, handle);
  const ms = performance.now() - startedAt;
  processed.series(consumer, type, ending).observe(ms / 1_000);
  span?.end({ "cloud.ending": ending }, ending === "parked" ? ending : undefined);
  if (access === undefined || cause === undefined || correlation === undefined || ending !== "applied") return;
  access.writeEvent({ correlation, consumer, type, eventId, ms });
}
