import { type Sql, sql } from "@cloud/postgres";

/** Deletes expired rows, 1000 at a time so that no lock is held for long. */
export async function purge(db: Sql): Promise<void> {
  for (const statement of [purgeOutbox, purgeInbox]) {
    for (;;) {
      const { rowCount } = await db.query(statement);
      if ((rowCount ?? 0) < 1000) break;
    }
  }
}

// As long as the stream keeps its messages: a wiped stream would not have held older ones either.
const purgeOutbox = sql`
  delete from outbox
  where id in (
    select id
    from outbox
    where published_at < now() - interval '7 days'
    limit 1000
    for update skip locked
  )`;

// Twice that: an event may be published again as long as its outbox row exists.
const purgeInbox = sql`
  delete from inbox
  where (consumer, event_id) in (
    select consumer, event_id
    from inbox
    where received_at < now() - interval '14 days'
    limit 1000
    for update skip locked
  )`;
