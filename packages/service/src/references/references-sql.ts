import { type Reader, type SqlText, statement } from "@cloud/postgres";

/** A local reference that marks its record as deleted. */
export interface Tombstone {
  readonly id: string;
  /** Changes whenever the tombstone is set again. */
  readonly version: string;
}

/** Returns up to `limit` tombstones of a table of references, in the order of ids, after the id `after`. */
export async function selectTombstonesAfter(
  db: Reader,
  table: SqlText,
  after: string,
  limit: number,
): Promise<Tombstone[]> {
  // xmin identifies the transaction that wrote the row last: a tombstone that is set again has another.
  const text = statement<Tombstone>`
    select id, xmin::text as version
    from ${table}
    where deleted_at is not null and ($1 = '' or id > nullif($1, '')::uuid)
    order by id
    limit $2`;
  return (await db.read(text, [after, limit])).rows;
}
