import { type Database, oneRow, type Reader, type SqlText, type Statement, sql, statement } from "@cloud/postgres";
import type { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";

/**
 * The tables of records that other services reference. Their rows are deleted softly, so that their deletion stays
 * known.
 */
export type OwnedTable = "organizations" | "teams" | "environments" | "workspaces";

/** The kinds of record that a service owns, with their tables. */
export type OwnedRecords = Readonly<Partial<Record<RecordKind, OwnedTable>>>;

export interface RecordStatesRow {
  /** Of the database that was queried. */
  readonly installationId: string;
  readonly liveIds: string[];
  readonly deletedIds: string[];
}

/** Returns the live and the deleted ids, without unknown ones, and the installation: all of one snapshot. */
export async function selectRecordStates(
  db: Reader,
  table: OwnedTable,
  ids: readonly string[],
): Promise<RecordStatesRow> {
  return oneRow(await db.read(selectStates[table], [ids]));
}

const statesOf = (table: SqlText) =>
  statement<RecordStatesRow>`
    select installation.id as "installationId",
      array(select id::text from ${table} where id = any($1::uuid[]) and deleted_at is null) as "liveIds",
      array(select id::text from ${table} where id = any($1::uuid[]) and deleted_at is not null) as "deletedIds"
    from installation`;

const selectStates: Readonly<Record<OwnedTable, Statement<RecordStatesRow>>> = {
  organizations: statesOf(sql`organizations`),
  teams: statesOf(sql`teams`),
  environments: statesOf(sql`environments`),
  workspaces: statesOf(sql`workspaces`),
};

/** Returns up to `limit` tombstones of a table of references, in the order of ids, those after `after`. */
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

/** Returns the accepted installation of a peer; `seen` becomes it when there is none yet. */
export async function selectOrInsertPeerInstallation(db: Database, peer: string, seen: string): Promise<string> {
  await db.transaction((tx) => tx.query(insertInstallation, [peer, seen]));
  return oneRow(await db.read(selectInstallation, [peer])).id;
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

/** A local reference that marks its record as deleted. */
export interface Tombstone {
  readonly id: string;
  /** Changes whenever the tombstone is set again. */
  readonly version: string;
}
