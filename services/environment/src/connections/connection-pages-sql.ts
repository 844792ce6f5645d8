import type { EnvironmentId, ListParameters, OrganizationId } from "@cloud/contract";
import { type Sql, type SqlText, selectTextPage, sql, type TextPage } from "@cloud/postgres";
import { inOrganizations } from "@cloud/service";
import { connectionColumns } from "./connection-sql.ts";

interface OfEnvironment {
  id: EnvironmentId;
  organization_id: OrganizationId;
}

const liveOfOrganization = sql`organization_id = $1 and deleted_at is null`;
const linked = sql`
  exists (
    select
    from environment_connections links
    where links.environment_id = $2 and links.connection_id = connections.id
  )`;

/** Returns a page of the live connections of the organizations. */
export async function selectConnectionsOf(db: Sql, ids: readonly OrganizationId[], query: ListParameters) {
  const { condition, param } = inOrganizations(ids, 1);
  return selectConnectionPage(db, sql`${condition} and deleted_at is null`, [param], query);
}

/** Returns a page of the live connections that are linked to the environment. */
export async function selectConnectionsIn(db: Sql, environment: OfEnvironment, query: ListParameters) {
  const params = [environment.organization_id, environment.id];
  return selectConnectionPage(db, sql`${liveOfOrganization} and ${linked}`, params, query);
}

/** Returns a page of the live connections of the environment's organization that are not linked to it. */
export async function selectConnectionsNotIn(db: Sql, environment: OfEnvironment, query: ListParameters) {
  const params = [environment.organization_id, environment.id];
  return selectConnectionPage(db, sql`${liveOfOrganization} and not ${linked}`, params, query);
}

async function selectConnectionPage(
  db: Sql,
  where: SqlText,
  params: readonly unknown[],
  query: ListParameters,
): Promise<TextPage> {
  const source = {
    columns: connectionColumns,
    from: sql`connections`,
    searchColumns: [sql`name`, sql`description`],
    largeColumn: sql`metadata`,
  };
  return selectTextPage(db, { ...source, where, params, ...query });
}
