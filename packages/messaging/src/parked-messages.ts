import type { Database, Sql } from "@cloud/postgres";

export interface ParkedSummary {
  id: string;
  consumer: string;
  type: string;
  eventId: string | null;
  error: string;
  tries: number;
  parkedAt: Date;
  /** Null while it waits to be replayed. */
  replayedAt: Date | null;
}

/** The parked messages of a schema, oldest first. */
export async function listParked(sql: Sql): Promise<ParkedSummary[]> {
  const { rows } = await sql.query<ParkedSummary>(
    "select id, consumer, coalesce(headers->>'ce-type', subject) as type, event_id as \"eventId\", error, tries," +
      ' parked_at as "parkedAt", replayed_at as "replayedAt" from parked_messages order by parked_at, id',
  );
  return rows;
}

/**
 * Publishes parked messages again, all that wait for it or the one of that id, through the outbox of their schema; they
 * keep their event id, so those who applied them before ignore them. Answers how many.
 */
export async function replayParked(db: Database, which: { id: string } | "all"): Promise<number> {
  return await db.withTransaction(async (tx) => {
    const { rowCount } = await tx.query(
      "with replayed as (update parked_messages set replayed_at = now()" +
        " where ($1::uuid is null and replayed_at is null) or id = $1 returning subject, headers, payload)" +
        " insert into outbox (subject, type, payload, headers)" +
        " select subject, coalesce(headers->>'ce-type', ''), payload, headers - 'Nats-Msg-Id' from replayed",
      [which === "all" ? null : which.id],
    );
    await tx.query("select pg_notify('outbox_' || current_schema(), '')");
    return rowCount ?? 0;
  });
}
