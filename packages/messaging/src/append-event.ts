import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { sql, type Tx } from "@cloud/postgres";
import { eventSubject } from "./event-subject.ts";

export interface EventContext {
  /** The W3C trace context of the request that caused the event. */
  traceparent?: string;
}

/** Writes an event in the same transaction as the change it describes. The relay publishes it after the commit. */
export async function appendEvent<Schema extends DescMessage>(
  tx: Tx,
  schema: Schema,
  init: MessageInitShape<Schema>,
  context: EventContext = {},
): Promise<void> {
  await appendEvents(tx, schema, [init], context);
}

/** Like `appendEvent`, for any number of events of one type in a single statement. */
export async function appendEvents<Schema extends DescMessage>(
  tx: Tx,
  schema: Schema,
  inits: readonly MessageInitShape<Schema>[],
  context: EventContext = {},
): Promise<void> {
  if (inits.length === 0) return;
  const payloads = inits.map((init) => Buffer.from(toBinary(schema, create(schema, init))));
  await tx.query(insertAndNotify, [eventSubject(schema), schema.typeName, payloads, JSON.stringify(context)]);
}

// One round trip. Postgres sends the notification at COMMIT, and only one for all events of a transaction.
const insertAndNotify = sql`
  with events as (
    insert into outbox (subject, type, payload, headers)
    select $1, $2, payload, $4
    from unnest($3::bytea[]) as payload
  )
  select pg_notify('outbox_' || current_schema(), '')`;
