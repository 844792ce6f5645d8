import { type Sql, sql } from "@cloud/postgres";

const insertOrCount = sql`
  insert into begun_tries as begun (consumer, event_id, tries)
  values ($1, $2, 1)
  on conflict (consumer, event_id) do update
  set tries = begun.tries + case when begun.waits then 0 else 1 end, waits = false
  where begun.tries < $3 or begun.waits
  returning tries`;

/**
 * Records the start of a try and returns how many earlier tries ended their process, at most `most`. A process that
 * ended while its try waited for the database does not count. At `most`, no try is recorded.
 */
export async function beginTry(db: Sql, consumer: string, eventId: string, most: number): Promise<number> {
  const { rows } = await db.query<{ tries: number }>(insertOrCount, [consumer, eventId, most]);
  const [begun] = rows;
  return begun === undefined ? most : begun.tries - 1;
}

/** Records whether the current try waits for the database. */
export async function updateWaits(db: Sql, consumer: string, eventId: string, waits: boolean): Promise<void> {
  const text = sql`
    update begun_tries
    set waits = $3
    where consumer = $1 and event_id = $2`;
  await db.query(text, [consumer, eventId, waits]);
}

/** Undoes the record of the last try; the earlier ones still count. */
export async function undoTry(db: Sql, consumer: string, eventId: string): Promise<void> {
  const text = sql`
    update begun_tries
    set tries = tries - 1, waits = false
    where consumer = $1 and event_id = $2`;
  await db.query(text, [consumer, eventId]);
}

export async function deleteBegunTries(db: Sql, consumer: string, eventId: string): Promise<void> {
  const text = sql`
    delete from begun_tries
    where consumer = $1 and event_id = $2`;
  await db.query(text, [consumer, eventId]);
}
