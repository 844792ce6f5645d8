import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { Tx } from "@cloud/postgres";
import { currentCorrelation } from "@cloud/telemetry";
import { writeEventCorrelation } from "./event-correlation.ts";
import { eventSubject } from "./event-subject.ts";
import { insertAndPublish } from "./insert-events.ts";

/**
 * Queues an event in the transaction of the change it describes. It is published after the commit, with the id and the trace
 * of the request, or of the event, that this code runs for.
 */
export function appendEvent<Schema extends DescMessage>(tx: Tx, schema: Schema, init: MessageInitShape<Schema>): void {
  appendEvents(tx, schema, [init]);
}

/** Like `appendEvent`, for any number of events of one type in a single statement. */
export function appendEvents<Schema extends DescMessage>(
  tx: Tx,
  schema: Schema,
  inits: readonly MessageInitShape<Schema>[],
): void {
  if (inits.length === 0) return;
  const payloads = inits.map((init) => Buffer.from(toBinary(schema, create(schema, init))));
  const headers = JSON.stringify(writeEventCorrelation(currentCorrelation()));
  insertAndPublish(tx, [eventSubject(schema), schema.typeName, payloads, headers]);
}
