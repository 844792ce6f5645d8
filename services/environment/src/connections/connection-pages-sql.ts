import type { EnvironmentId, ListParameters, OrganizationId } from "@cloud/contract";
import { type ListSource, type Reader, selectTextPage, sql, type TextPage } from "@cloud/postgres";
import { countOthers, inOrganizations } from "@cloud/service";
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
export async function selectConnectionsOf(db: Reader, ids: readonly OrganizationId[], query: ListParameters) {
  const { condition, param, count, searching } = inOrganizations(ids, 1);
  const where = sql`${condition} and deleted_at is null`;
  const indexed = { count: count(isList), ...searching(...searchColumns) };
  return selectConnectionPage(db, { where, params: [param], ...indexed }, query);
}

/** Returns a page of the live connections that are linked to the environment. */
export async function selectConnectionsIn(db: Reader, environment: OfEnvironment, query: ListParameters) {
  const { searching } = inOrganizations([environment.organization_id], 1);
  const params = [environment.organization_id, environment.id];
  const where = sql`${liveOfOrganization} and ${linked}`;
  return selectConnectionPage(db, { where, params, ...searching(...searchColumns) }, query);
}

/** Returns a page of the live connections of the environment's organization that are not linked to it. */
export async function selectConnectionsNotIn(db: Reader, environment: OfEnvironment, query: ListParameters) {
  const { count: countAll, searching } = inOrganizations([environment.organization_id], 1);
  const params = [environment.organization_id, environment.id];
  const where = sql`${liveOfOrganization} and not ${linked}`;
  const count = countOthers(countAll(isList), sql`connections`, sql`${liveOfOrganization} and ${linked}`);
  return selectConnectionPage(db, { where, params, count, ...searching(...searchColumns) }, query);
}

const isList = sql`list = 'connections'`;
const searchColumns = [sql`name`, sql`description`];

type Connections = Pick<ListSource, "where" | "params" | "count" | "searchBy">;

async function selectConnectionPage(db: Reader, list: Connections, query: ListParameters): Promise<TextPage> {
  const source = {
    columns: connectionColumns,
    from: sql`connections`,
    searchColumns,
    largeColumn: sql`metadata`,
  };
  return selectTextPage(db, { ...source, ...list, ...query });
}
