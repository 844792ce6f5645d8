import type { JsonObject } from "@bufbuild/protobuf";
import { oneRow, type Sql, selectPage, type Tx } from "@cloud/postgres";
import type { EnvironmentId, ListParameters, OrganizationId } from "@cloud/rpc";

export interface EnvironmentRow {
  id: EnvironmentId;
  organization_id: OrganizationId;
  name: string;
  description: string;
  platform_provisioned: boolean;
  metadata: JsonObject;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

export interface NewEnvironment {
  id: EnvironmentId;
  organizationId: OrganizationId;
  name: string;
  description: string;
  platformProvisioned: boolean;
}

const columns =
  "id, organization_id, name, description, platform_provisioned, metadata, created_at, updated_at, deleted_at";

const selectLive = "select " + columns + " from environments where id = $1 and deleted_at is null";

export async function selectEnvironment(sql: Sql, id: EnvironmentId): Promise<EnvironmentRow | undefined> {
  return (await sql.query<EnvironmentRow>(selectLive, [id])).rows[0];
}

/** Keeps the environment live until the end of `tx`, and lets others do the same. */
export async function selectEnvironmentForShare(tx: Tx, id: EnvironmentId): Promise<EnvironmentRow | undefined> {
  return (await tx.query<EnvironmentRow>(selectLive + " for share", [id])).rows[0];
}

/** Keeps everybody else who locks the environment waiting until the end of `tx`. */
export async function selectEnvironmentForUpdate(tx: Tx, id: EnvironmentId): Promise<EnvironmentRow | undefined> {
  return (await tx.query<EnvironmentRow>(selectLive + " for update", [id])).rows[0];
}

export async function insertEnvironment(tx: Tx, environment: NewEnvironment): Promise<EnvironmentRow> {
  const { id, organizationId, name, description, platformProvisioned } = environment;
  const result = await tx.query<EnvironmentRow>(
    "insert into environments (id, organization_id, name, description, platform_provisioned) " +
      "values ($1, $2, $3, $4, $5) returning " +
      columns,
    [id, organizationId, name, description, platformProvisioned],
  );
  return oneRow(result);
}

/** Replaces both texts of a live environment; undefined when there is none. */
export async function updateEnvironmentTexts(
  tx: Tx,
  id: EnvironmentId,
  name: string,
  description: string,
): Promise<EnvironmentRow | undefined> {
  const result = await tx.query<EnvironmentRow>(
    "update environments set name = $2, description = $3, updated_at = now() " +
      "where id = $1 and deleted_at is null returning " +
      columns,
    [id, name, description],
  );
  return result.rows[0];
}

export async function softDeleteEnvironment(tx: Tx, id: EnvironmentId): Promise<void> {
  await tx.query("update environments set deleted_at = now() where id = $1 and deleted_at is null", [id]);
}

/** Soft-deletes every live environment of the organization and answers their ids. */
export async function softDeleteEnvironmentsOf(tx: Tx, organizationId: OrganizationId): Promise<EnvironmentId[]> {
  const result = await tx.query<{ id: EnvironmentId }>(
    "update environments set deleted_at = now() where organization_id = $1 and deleted_at is null returning id",
    [organizationId],
  );
  return result.rows.map((row) => row.id);
}

/** A page of the live environments of the organizations. */
export async function selectEnvironmentsOf(
  sql: Sql,
  organizationIds: readonly OrganizationId[],
  query: ListParameters,
) {
  return selectEnvironmentPage(sql, "organization_id = any($1) and deleted_at is null", [organizationIds], query);
}

/** A page of the live environments of the organization that are among `ids`. */
export async function selectEnvironmentsAmong(
  sql: Sql,
  organizationId: OrganizationId,
  ids: readonly EnvironmentId[],
  query: ListParameters,
) {
  const where = "organization_id = $1 and id = any($2) and deleted_at is null";
  return selectEnvironmentPage(sql, where, [organizationId, ids], query);
}

/** A page of the live environments of the organization that are not among `ids`. */
export async function selectEnvironmentsExcept(
  sql: Sql,
  organizationId: OrganizationId,
  ids: readonly EnvironmentId[],
  query: ListParameters,
) {
  const where = "organization_id = $1 and id <> all($2) and deleted_at is null";
  return selectEnvironmentPage(sql, where, [organizationId, ids], query);
}

/** The live environments among `ids`, oldest first. */
export async function selectEnvironmentsById(sql: Sql, ids: readonly EnvironmentId[]): Promise<EnvironmentRow[]> {
  const result = await sql.query<EnvironmentRow>(
    "select " + columns + " from environments where id = any($1) and deleted_at is null order by created_at, id",
    [ids],
  );
  return result.rows;
}

async function selectEnvironmentPage(sql: Sql, where: string, params: readonly unknown[], query: ListParameters) {
  const searchColumns = ["name", "description"];
  return selectPage<EnvironmentRow>(sql, { columns, from: "environments", where, params, searchColumns, ...query });
}
