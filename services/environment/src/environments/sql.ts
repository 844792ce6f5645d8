import type { JsonObject } from "@bufbuild/protobuf";
import type { RequiredTags } from "@cloud/access";
import type { ListParameters, SelectionParameters } from "@cloud/access/lists";
import type { EnvironmentId, OrganizationId } from "@cloud/access/values";
import { oneRow, type Reader, sql, statement, type Tx, uuidArray } from "@cloud/postgres";
import { type ListSource, selectTextPage } from "@cloud/postgres/lists";
import {
  hasTag,
  inOrganizations,
  linkedRecords,
  liveRecords,
  type RecordRow,
  softDeletes,
  writeTime,
} from "@cloud/service/records";

export interface EnvironmentRow extends RecordRow<EnvironmentId> {
  platform_provisioned: boolean;
  metadata: JsonObject;
}

interface NewEnvironment {
  readonly id: EnvironmentId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly description: string;
  readonly platformProvisioned: boolean;
  /** A JSON object. */
  readonly metadata: string;
}

interface EnvironmentChanges {
  readonly name: string;
  readonly description: string;
  /** A JSON object that replaces the whole of the stored one; undefined keeps the stored one. */
  readonly metadata: string | undefined;
}

export const environmentColumns = sql`
  id, organization_id, name, description, platform_provisioned, metadata, created_at, updated_at, deleted_at, etag`;

export const {
  selectShared: selectEnvironment,
  selectMany: selectEnvironmentRows,
  selectForShare: selectEnvironmentForShare,
  selectForUpdate: selectEnvironmentForUpdate,
} = liveRecords<EnvironmentRow>(sql`environments`, environmentColumns);

export const environmentDeletion = softDeletes<EnvironmentId>(sql`environments`);
export const { softDelete: softDeleteEnvironment } = environmentDeletion;

const environmentInsertion = statement<EnvironmentRow>`
  insert into environments (id, organization_id, name, description, platform_provisioned, metadata)
  values ($1, $2, $3, $4, $5, $6)
  returning ${environmentColumns}`;

/** Inserts an environment; the caller's lock keeps its organization live. */
export async function insertEnvironment(tx: Tx, environment: NewEnvironment): Promise<EnvironmentRow> {
  const { id, organizationId, name, description, platformProvisioned, metadata } = environment;
  const result = await tx.query(environmentInsertion, [
    id,
    organizationId,
    name,
    description,
    platformProvisioned,
    metadata,
  ]);
  return oneRow(result);
}

const environmentFieldsUpdate = statement<EnvironmentRow>`
  update environments
  set name = $2, description = $3, metadata = coalesce($4::jsonb, metadata), updated_at = ${writeTime}
  where id = $1 and deleted_at is null and ${hasTag(5)}
  returning ${environmentColumns}`;

/**
 * Replaces both texts of a live environment, and its metadata if defined. Returns undefined if it is not live, or has
 * none of the tags.
 */
export async function updateEnvironmentFields(
  tx: Tx,
  id: EnvironmentId,
  { name, description, metadata }: EnvironmentChanges,
  tags: RequiredTags,
): Promise<EnvironmentRow | undefined> {
  const result = await tx.query(environmentFieldsUpdate, [id, name, description, metadata ?? null, tags]);
  return result.rows[0];
}

/** Returns a page of the live environments of the organizations. */
export async function selectEnvironmentsOf(
  db: Reader,
  organizationIds: readonly OrganizationId[],
  query: ListParameters,
) {
  const { condition, param, count, searching } = inOrganizations(organizationIds, 1);
  const where = sql`${condition} and deleted_at is null`;
  const indexed = { count: count(isList), ...searching(...searchColumns) };
  const isPlannedOnce = organizationIds.length === 1;
  return selectEnvironmentPage(db, { where, params: [param], isPlannedOnce, ...indexed }, query);
}

/** Returns a page of the organization's live environments that are among the ids or, unless `assigned`, the others. */
export async function selectEnvironmentPageAmong(
  db: Reader,
  { organizationId, ids, assigned, query }: SelectionParameters,
) {
  const { condition, count, searching } = inOrganizations([organizationId], 1);
  const live = sql`${condition} and deleted_at is null`; // protects: live-environments
  const linked = linkedRecords({ records: sql`environments`, ids, assigned, live, countLive: count(isList) });
  const list = { params: [organizationId, uuidArray(ids)], ...searching(...searchColumns), ...linked };
  return selectEnvironmentPage(db, list, query);
}

const isList = sql`list = 'environments'`;
const searchColumns = [sql`name`, sql`description`];

type Environments = Pick<ListSource, "where" | "params" | "isLong" | "isPlannedOnce" | "count" | "searchBy"> &
  Partial<Pick<ListSource, "from">>;

async function selectEnvironmentPage(db: Reader, list: Environments, query: ListParameters) {
  const source = { columns: environmentColumns, from: sql`environments`, searchColumns, largeColumn: sql`metadata` };
  return selectTextPage(db, { ...source, ...list, ...query });
}
