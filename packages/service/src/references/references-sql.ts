import { type Database, oneRow, type Reader, type SqlText, statement } from "@cloud/postgres";

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

const insertInstallation = statement`
  insert into peer_installations (peer, installation_id)
  values ($1, $2)
  on conflict (peer) do nothing`;

const selectInstallation = statement<{ id: string }>`
  select installation_id as id
  from peer_installations
  where peer = $1`;

/** Returns the accepted installation of a peer; accepts `seen` if there is none yet. */
export async function selectOrInsertPeerInstallation(db: Database, peer: string, seen: string): Promise<string> {
  await db.transaction((tx) => tx.query(insertInstallation, [peer, seen]));
  return oneRow(await db.read(selectInstallation, [peer])).id;
}

/** Returns the accepted installation of a peer, or undefined if there is none yet. */
export async function selectPeerInstallation(db: Reader, peer: string): Promise<string | undefined> {
  return (await db.read(selectInstallation, [peer])).rows[0]?.id;
}

const peerInstallationUpsert = statement`
  insert into peer_installations (peer, installation_id)
  values ($1, $2)
  on conflict (peer) do update
  set installation_id = excluded.installation_id, accepted_at = now()`;

/** Accepts an installation of a peer, in place of an earlier one. */
export async function upsertPeerInstallation(db: Database, peer: string, accepted: string): Promise<void> {
  await db.transaction((tx) => tx.query(peerInstallationUpsert, [peer, accepted]));
}
