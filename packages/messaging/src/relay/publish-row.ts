import type { Tracing } from "@cloud/telemetry";
import { readEventCorrelation, writeEventCorrelation } from "../event-correlation.ts";
import { writeEventHeaders } from "../event-headers.ts";
import type { EventMessage, EventTransport, Publication } from "../event-transport.ts";
import type { OutboxRow } from "./outbox-sql.ts";

export interface PublishContext {
  readonly transport: EventTransport;
  readonly source: string;
  readonly tracing: Tracing | undefined;
}

/** Publishes an event of the outbox, as a span below that of the request that caused it while tracing is on. */
export async function publishRow({ transport, source, tracing }: PublishContext, row: OutboxRow): Promise<Publication> {
  const message = messageOf(row, source);
  if (tracing === undefined) return await transport.publish(message);
  const { subject, id } = message;
  const span = tracing.start(`publish ${row.type}`, "producer", readEventCorrelation(row.headers), {
    "messaging.system": "nats",
    "messaging.operation.type": "send",
    "messaging.destination.name": subject,
    "messaging.message.id": id,
  });
  try {
    const headers = { ...message.headers, ...writeEventCorrelation(span.correlation) };
    const publication = await transport.publish({ ...message, headers });
    span.end();
    return publication;
  } catch (error) {
    span.end({}, "not published");
    throw error;
  }
}

function messageOf(row: OutboxRow, source: string): EventMessage {
  const { id, subject, type, payload, headers } = row;
  return {
    id,
    subject,
    payload,
    headers: { ...writeEventHeaders({ id, source, type, time: row.created_at }), ...headers },
  };
}
