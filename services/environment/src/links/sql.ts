import type { EnvironmentId, Id } from "@cloud/access/values";
import { type BoundStatement, oneRow, type Reader, type SqlText, sql, statement, type Tx } from "@cloud/postgres";
import type { ConnectionId } from "../ids.ts";

export interface AssignmentRow {
  id: Id;
  environment_id: EnvironmentId;
  connection_id: ConnectionId;
  created_at: Date;
}

const columns = sql`id, environment_id, connection_id, created_at`;

const linkInsertion = statement<AssignmentRow>`
  insert into environment_connections (id, environment_id, connection_id)
  values ($1, $2, $3)
  on conflict on constraint environment_connections_pair do nothing
  returning ${columns}`;

/** Inserts a link. Returns undefined if it exists already; a concurrent insert of the same link waits for the first. */
export async function insertLink(
  tx: Tx,
  id: Id,
  environmentId: EnvironmentId,
  connectionId: ConnectionId,
): Promise<AssignmentRow | undefined> {
  const result = await tx.query(linkInsertion, [id, environmentId, connectionId]);
  return result.rows[0];
}

const link = statement<AssignmentRow>`
  select ${columns}
  from environment_connections
  where environment_id = $1 and connection_id = $2`;

/** Returns an existing link; the caller's lock on the environment keeps it from being removed. */
export async function selectLink(
  db: Reader,
  environmentId: EnvironmentId,
  connectionId: ConnectionId,
): Promise<AssignmentRow> {
  const result = await db.read(link, [environmentId, connectionId]);
  return oneRow(result);
}

const deleteOne = statement`
  delete from environment_connections
  where environment_id = $1 and connection_id = $2`;

/** Deletes one link. Returns whether there was one. */
export async function deleteLink(tx: Tx, environmentId: EnvironmentId, connectionId: ConnectionId): Promise<boolean> {
  const result = await tx.query(deleteOne, [environmentId, connectionId]);
  return result.rowCount === 1;
}

/**
 * Returns the statement that deletes links, locking them in the order of their ids: otherwise concurrent deletions of
 * environments and connections that share links could deadlock.
 */
const deleteLocked = (condition: SqlText) => statement`
  delete from environment_connections
  where id = any(array(
    select id
    from environment_connections
    where ${condition}
    order by id
    for update
  ))`;
const deleteOfEnvironment = deleteLocked(sql`environment_id = $1`);
const deleteOfConnection = deleteLocked(sql`connection_id = $1`);

/** Deletes all links of the environment, locking them in the order of their ids. */
export async function deleteLinksOfEnvironment(tx: Tx, environmentId: EnvironmentId): Promise<void> {
  await tx.query(deleteOfEnvironment, [environmentId]);
}

/** Deletes all links of the connection, locking them in the order of their ids. */
export async function deleteLinksOfConnection(tx: Tx, connectionId: ConnectionId): Promise<void> {
  await tx.query(deleteOfConnection, [connectionId]);
}

const environmentIdsOfConnection = statement<{ id: EnvironmentId }>`
  select environments.id
  from environment_connections links
  join environments on environments.id = links.environment_id and environments.deleted_at is null
  join connections on connections.id = links.connection_id and connections.deleted_at is null
  where links.connection_id = $1
  order by environments.id`;

/** Returns the ids of the live environments to which the live connection is linked. */
export async function selectEnvironmentIdsOfConnection(
  db: Reader,
  connectionId: ConnectionId,
): Promise<EnvironmentId[]> {
  const result = await db.read(environmentIdsOfConnection, [connectionId]);
  return result.rows.map((row) => row.id);
}

const linksOfEnvironments = statement<{ id: Id }>`
  select id
  from environment_connections
  where environment_id = any($1)
  limit $2`;

/** Returns links of the environments, at most `max`. */
export async function selectLinksOfEnvironments(
  db: Reader,
  environmentIds: readonly EnvironmentId[],
  max: number,
): Promise<Id[]> {
  return (await db.read(linksOfEnvironments, [environmentIds, max])).rows.map(({ id }) => id);
}

const deleteByIds = deleteLocked(sql`id = any($1)`);
const deleteOfEnvironments = deleteLocked(sql`environment_id = any($1)`);

/** Returns the statement that deletes links, locking them in the order of their ids. */
export const linkDeletion = (ids: readonly Id[]): BoundStatement => ({ statement: deleteByIds, params: [ids] });

/** Returns the statement that deletes all links of the environments, locking them in the order of their ids. */
export const linkDeletionOfEnvironments = (environmentIds: readonly EnvironmentId[]): BoundStatement => ({
  statement: deleteOfEnvironments,
  params: [environmentIds],
});
