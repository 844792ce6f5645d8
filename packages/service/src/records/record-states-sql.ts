import { oneRow, type Reader, type SqlText, type Statement, sql, statement } from "@cloud/postgres";
import type { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";

/**
 * The tables of records that other services reference. Their rows are deleted softly, so that their deletion stays
 * known.
 */
type OwnedTable = "organizations" | "teams" | "environments" | "workspaces";

/** The kinds of record that a service owns, with their tables. */
export type OwnedRecords = Readonly<Partial<Record<RecordKind, OwnedTable>>>;

interface RecordStatesRow {
  /** The installation of the database that was queried. */
  readonly installationId: string;
  readonly liveIds: string[];
  readonly deletedIds: string[];
}

/** Returns the live and the deleted ids, without unknown ones, and the installation, from one snapshot. */
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
