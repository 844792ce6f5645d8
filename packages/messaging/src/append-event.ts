import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { Tx } from "@cloud/postgres";
import { eventSubject } from "./event-subject.ts";
import { insertAndPublish } from "./insert-events.ts";

export interface EventContext {
  /** The W3C trace context of the request that caused the event. */
  traceparent?: string;
}

/** Queues an event in the transaction of the change it describes. It is published after the commit. */
export function appendEvent<Schema extends DescMessage>(
  tx: Tx,
  schema: Schema,
  init: MessageInitShape<Schema>,
  context: EventContext = {},
): void {
  appendEvents(tx, schema, [init], context);
}

/** Like `appendEvent`, for any number of events of one type in a single statement. */
export function appendEvents<Schema extends DescMessage>(
  tx: Tx,
  schema: Schema,
  inits: readonly MessageInitShape<Schema>[],
  context: EventContext = {},
): void {
  if (inits.length === 0) return;
  const payloads = inits.map((init) => Buffer.from(toBinary(schema, create(schema, init))));
  insertAndPublish(tx, [eventSubject(schema), schema.typeName, payloads, JSON.stringify(context)]);
}
