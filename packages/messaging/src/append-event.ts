import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { Tx } from "@cloud/postgres";
import { eventSubject } from "./event-subject.ts";
import { insertAndPublish } from "./insert-events.ts";

export interface EventContext {
  /** The W3C trace context of the request that caused the event. */
  traceparent?: string;
}

/** Writes an event in the same transaction as the change it describes. It is published after the commit. */
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
  await insertAndPublish(tx, [eventSubject(schema), schema.typeName, payloads, JSON.stringify(context)]);
}
