import path from "node:path";
import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type BoundStatement, statement, type Tx } from "@cloud/postgres";
import { purgedByTime } from "@cloud/postgres/migrations";
import { currentCorrelation } from "@cloud/runtime/telemetry";
import { eventSubject, writeEventCorrelation } from "./envelope.ts";

/**
 * Appends an event in the transaction of the change it describes. After the commit a relay publishes it, with the id
 * and the trace of the request, or of the event, that this code runs for.
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
  tx.atCommit(...insertionOf(schema, inits));
}

/** Returns the statement of `appendEvents`, if there are events. */
export function insertionOf<Schema extends DescMessage>(
  schema: Schema,
  inits: readonly MessageInitShape<Schema>[],
): BoundStatement[] {
  if (inits.length === 0) return [];
  const payloads = inits.map((init) => Buffer.from(toBinary(schema, create(schema, init))));
  const headers = JSON.stringify(writeEventCorrelation(currentCorrelation())); // protects: event-correlation
  // protects: outbox
  return [{ statement: insertEvents, params: [eventSubject(schema), schema.typeName, payloads, headers] }];
}

const insertEvents = statement`
  insert into outbox (subject, type, payload, headers)
  select $1, $2, payload, $4
  from unnest($3::bytea[]) as payload`;

/**
 * Creates the tables outbox, inbox and parked_messages in the service's schema. Pass it to `migrate` before the
 * service's own migrations. The table begun_tries is unused since the release after 0.1.0, which still writes it: a
 * later release drops it, when that one no longer runs beside it.
 */
export const messagingMigrations = {
  folder: path.join(import.meta.dirname, "../migrations"),
  name: "messaging" as const,
};

/** The purge of published events. Events that are not published are kept indefinitely. */
export const purgedOutbox = purgedByTime("outbox", "published_at");

/** The purge of the ids of applied events. */
export const purgedInbox = purgedByTime("inbox", "received_at");
