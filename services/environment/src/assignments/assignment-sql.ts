import type { Sql, Tx } from "@cloud/postgres";
import { oneRow } from "@cloud/postgres";
import type { ConnectionId, EnvironmentId, Id, OrganizationId } from "@cloud/rpc";

export interface AssignmentRow {
  id: Id;
  environment_id: EnvironmentId;
  connection_id: ConnectionId;
  created_at: Date;
}

const columns = "id, environment_id, connection_id, created_at";

/** The new link, or undefined when the two are linked already; the loser of a race waits for the winner here. */
export async function insertLink(
  tx: Tx,
  id: Id,
  environmentId: EnvironmentId,
  connectionId: ConnectionId,
): Promise<AssignmentRow | undefined> {
  const result = await tx.query<AssignmentRow>(
    "insert into environment_connections (id, environment_id, connection_id) values ($1, $2, $3) " +
      "on conflict on constraint environment_connections_pair do nothing returning " +
      columns,
    [id, environmentId, connectionId],
  );
  return result.rows[0];
}

/** The link that is known to be there, because its environment is locked. */
export async function selectLink(
  sql: Sql,
  environmentId: EnvironmentId,
  connectionId: ConnectionId,
): Promise<AssignmentRow> {
  const result = await sql.query<AssignmentRow>(
    "select " + columns + " from environment_connections where environment_id = $1 and connection_id = $2",
    [environmentId, connectionId],
  );
  return oneRow(result);
}

/** Ends one link and tells whether there was one. */
export async function deleteLink(tx: Tx, environmentId: EnvironmentId, connectionId: ConnectionId): Promise<boolean> {
  const result = await tx.query(
    "delete from environment_connections where environment_id = $1 and connection_id = $2",
    [environmentId, connectionId],
  );
  return result.rowCount === 1;
}

// Several links are locked in the order of their ids: deleting environments and connections that are linked
// crosswise would otherwise wait for each other in a ring.
const inOrder = " order by id for update)";

export async function deleteLinksOfEnvironment(tx: Tx, environmentId: EnvironmentId): Promise<void> {
  await tx.query(
    "delete from environment_connections where id in " +
      "(select id from environment_connections where environment_id = $1" +
      inOrder,
    [environmentId],
  );
}

export async function deleteLinksOfConnection(tx: Tx, connectionId: ConnectionId): Promise<void> {
  await tx.query(
    "delete from environment_connections where id in " +
      "(select id from environment_connections where connection_id = $1" +
      inOrder,
    [connectionId],
  );
}

/** Ends every link in the organization; both ends of a link lie in the same one. */
export async function deleteLinksOfOrganization(tx: Tx, organizationId: OrganizationId): Promise<void> {
  await tx.query(
    "delete from environment_connections where id in (select id from environment_connections where environment_id in " +
      "(select id from environments where organization_id = $1)" +
      inOrder,
    [organizationId],
  );
}

/** The live environments that the live connection is linked to. */
export async function selectEnvironmentIdsOfConnection(sql: Sql, connectionId: ConnectionId): Promise<EnvironmentId[]> {
  const result = await sql.query<{ id: EnvironmentId }>(
    "select environments.id from environment_connections links " +
      "join environments on environments.id = links.environment_id and environments.deleted_at is null " +
      "join connections on connections.id = links.connection_id and connections.deleted_at is null " +
      "where links.connection_id = $1 order by environments.id",
    [connectionId],
  );
  return result.rows.map((row) => row.id);
}
