import { fail } from "@cloud/access/errors";
import { parseIds } from "@cloud/access/values";
import { oneRow, type Reader, type SqlText, type Statement, sql, statement } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type BatchGetRecordStatesRequest, RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";

interface RecordStatesRow {
  /** The installation of the database that was queried. */
  readonly installationId: string;
  readonly liveIds: string[];
  readonly deletedIds: string[];
}

const statesIn = (table: SqlText) =>
  statement<RecordStatesRow>`
    select installation.id as "installationId",
      array(select id::text from ${table} where id = any($1::uuid[]) and deleted_at is null) as "liveIds",
      array(select id::text from ${table} where id = any($1::uuid[]) and deleted_at is not null) as "deletedIds"
    from installation`;

/** The records that other services reference. Their rows are deleted softly, so that their deletion stays known. */
const selectStates: ReadonlyMap<RecordKind, Statement<RecordStatesRow>> = new Map([
  [RecordKind.ORGANIZATION, statesIn(sql`organizations`)],
  [RecordKind.TEAM, statesIn(sql`teams`)],
  [RecordKind.ENVIRONMENT, statesIn(sql`environments`)],
  [RecordKind.WORKSPACE, statesIn(sql`workspaces`)],
]);

/**
 * Returns the live and the deleted ids among the ones of the request, and the installation, from one snapshot. Unknown
 * and malformed ids are in neither list. @throws INVALID_PARAMETER for a kind of record that the service does not own
 */
export async function batchGetRecordStates(
  db: Reader,
  owned: readonly RecordKind[],
  { kind, ids }: Pick<BatchGetRecordStatesRequest, "kind" | "ids">,
): Promise<RecordStatesRow> {
  const select = owned.includes(kind) ? selectStates.get(kind) : undefined;
  if (select === undefined) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "kind", accepts: "a kind of record that this service owns" });
  }
  return oneRow(await db.read(select, [parseIds(ids)]));
}
