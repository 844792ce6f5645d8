import type { Sql } from "@cloud/postgres";

/** How many tries were begun before, up to `most`; one more is on record now if there were fewer. */
export async function beginTry(sql: Sql, consumer: string, eventId: string, most: number): Promise<number> {
  const { rowCount, rows } = await sql.query<{ tries: number }>(
    "insert into begun_tries as begun (consumer, event_id, tries) values ($1, $2, 1) on conflict (consumer, event_id)" +
      " do update set tries = begun.tries + 1 where begun.tries < $3 returning tries",
    [consumer, eventId, most],
  );
  return rowCount === 1 ? (rows[0]?.tries ?? 1) - 1 : most;
}

export async function deleteBegunTries(sql: Sql, consumer: string, eventId: string): Promise<void> {
  await sql.query("delete from begun_tries where consumer = $1 and event_id = $2", [consumer, eventId]);
}
