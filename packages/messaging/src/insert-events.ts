import { sql, type Tx } from "@cloud/postgres";
import { BATCH } from "./relay/in-flight.ts";
import type { OutboxRow } from "./relay/outbox-sql.ts";
import { findRelay } from "./relay/own-relays.ts";

/** The subject, the type, the payloads and the headers as JSON. */
type EventParameters = readonly [string, string, readonly Buffer[], string];

/**
 * Inserts events of one type into the outbox, together with COMMIT. After the commit, the relay of this process publishes them from memory, if
 * it is ready: a claim would cost a statement, a commit and the time of both. Otherwise it is woken. A process without a
 * relay notifies those of others; a relay's own process does not, because NOTIFY wakes every listener of the database, and
 * lets only one transaction of the server commit at a time.
 */
export function insertAndPublish(tx: Tx, events: EventParameters): void {
  const relay = findRelay(tx);
  if (relay === undefined) {
    tx.queue(insertAndNotify, events);
  } else if (relay.isReady() && events[2].length <= BATCH) {
    tx.queue<OutboxRow & Record<string, unknown>>(insertLeased, events, ({ rows }) => {
      tx.afterCommit(() => void relay.publish(rows));
    });
  } else {
    tx.queue(insert, events);
    tx.afterCommit(relay.wake);
  }
}

const insert = sql`
  insert into outbox (subject, type, payload, headers)
  select $1, $2, payload, $4
  from unnest($3::bytea[]) as payload`;

// If this process ends before it has published them, any relay claims them when the lease expires. A publication takes
// at most 2 s.
const insertLeased = sql`
  insert into outbox (subject, type, payload, headers, claimed_until)
  select $1, $2, payload, $4, now() + interval '10 seconds'
  from unnest($3::bytea[]) as payload
  returning id, subject, type, payload, headers, created_at, publication`;

// One round trip. Postgres sends the notification at COMMIT, and only one for all events of a transaction.
const insertAndNotify = sql`
  with events as (${insert}
  )
  select pg_notify('outbox_' || current_schema(), '')`;
