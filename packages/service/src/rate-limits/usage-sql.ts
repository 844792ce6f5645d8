import { type Sql, sql } from "@cloud/postgres";

/** Adds requests to the sums of a window and returns the new sums, those of the other replicas included. */
export async function addUsage(
  db: Sql,
  window: Date,
  added: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  // In the order of the keys: concurrent statements of other replicas cannot deadlock.
  const text = sql`
    insert into rate_limit_usage as usage (window_start, key, used)
    select $1::timestamptz, key, used
    from unnest($2::text[], $3::integer[]) as added (key, used)
    order by key collate "C"
    on conflict (window_start, key) do update
    set used = usage.used + excluded.used
    returning key, used`;
  const { rows } = await db.query<{ key: string; used: number }>(text, [
    window,
    [...added.keys()],
    [...added.values()],
  ]);
  return new Map(rows.map(({ key, used }) => [key, used]));
}

/**
 * Deletes windows that are over, by the clock of Postgres; 5 minutes are more than the clocks of replicas differ. At most
 * 10,000 rows; returns how many. Replicas delete concurrently, each other rows.
 */
export async function deleteOldUsage(db: Sql): Promise<number> {
  const text = sql`
    delete from rate_limit_usage
    where ctid = any(array(
      select ctid
      from rate_limit_usage
      where window_start < now() - interval '5 minutes'
      limit 10000
      for update skip locked
    ))`;
  return (await db.query(text)).rowCount;
}
