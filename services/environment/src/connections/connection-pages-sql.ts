import { type Page, type Sql, selectPage } from "@cloud/postgres";
import type { EnvironmentId, ListParameters, OrganizationId } from "@cloud/rpc";
import { type ConnectionRow, connectionColumns } from "./connection-sql.ts";

interface OfEnvironment {
  id: EnvironmentId;
  organization_id: OrganizationId;
}

const liveOfOrganization = "organization_id = $1 and deleted_at is null and ";
const linked =
  "exists (select from environment_connections links where links.environment_id = $2 and links.connection_id = connections.id)";

/** A page of the live connections of the organizations. */
export async function selectConnectionsOf(sql: Sql, ids: readonly OrganizationId[], query: ListParameters) {
  return selectConnectionPage(sql, "organization_id = any($1) and deleted_at is null", [ids], query);
}

/** A page of the live connections in the environment. */
export async function selectConnectionsIn(sql: Sql, environment: OfEnvironment, query: ListParameters) {
  const params = [environment.organization_id, environment.id];
  return selectConnectionPage(sql, liveOfOrganization + linked, params, query);
}

/** A page of the live connections of the environment's organization that are not in it. */
export async function selectConnectionsNotIn(sql: Sql, environment: OfEnvironment, query: ListParameters) {
  const params = [environment.organization_id, environment.id];
  return selectConnectionPage(sql, liveOfOrganization + "not " + linked, params, query);
}

async function selectConnectionPage(
  sql: Sql,
  where: string,
  params: readonly unknown[],
  query: ListParameters,
): Promise<Page<ConnectionRow>> {
  const source = { columns: connectionColumns, from: "connections", searchColumns: ["name", "description"] };
  return selectPage<ConnectionRow>(sql, { ...source, where, params, ...query });
}
