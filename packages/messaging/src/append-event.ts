import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { prepared, type Tx } from "@cloud/postgres";
import { eventSubject } from "./event-subject.ts";

export interface EventContext {
  /** The W3C trace context of the request that caused the event. */
  traceparent?: string;
}

/** Writes an event in the transaction of the change it tells; the relay publishes it once that is committed. */
export async function appendEvent<Schema extends DescMessage>(
  tx: Tx,
  schema: Schema,
  init: MessageInitShape<Schema>,
  context: EventContext = {},
): Promise<void> {
  const payload = toBinary(schema, create(schema, init));
  await tx.query(insertAndNotify, [eventSubject(schema), schema.typeName, payload, JSON.stringify(context)]);
}

// One round trip. Postgres sends the notification at COMMIT, and one for all events of a transaction.
const insertAndNotify = prepared(
  "with event as (insert into outbox (subject, type, payload, headers) values ($1, $2, $3, $4))" +
    " select pg_notify('outbox_' || current_schema(), '')",
);
