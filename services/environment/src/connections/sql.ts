import type { JsonObject } from "@bufbuild/protobuf";
import type { RequiredTags } from "@cloud/access";
import type { ListParameters } from "@cloud/access/lists";
import type { EnvironmentId, OrganizationId, UserId } from "@cloud/access/values";
import { oneRow, type Reader, sql, statement, type Tx } from "@cloud/postgres";
import { type ListSource, selectTextPage, type TextPage } from "@cloud/postgres/lists";
import {
  countOthers,
  hasTag,
  inOrganizations,
  liveRecords,
  type RecordRow,
  softDeletes,
  writeTime,
} from "@cloud/service/records";
import type { ConnectionId, CredentialId } from "../ids.ts";
import type { ConnectionChanges, ConnectionFields } from "./rules.ts";

export interface ConnectionRow extends RecordRow<ConnectionId> {
  owner: UserId | "";
  kind: string;
  type: string;
  status: string;
  credential_id: CredentialId | null;
  metadata: JsonObject;
}

interface NewConnection extends ConnectionFields {
  readonly id: ConnectionId;
  readonly organizationId: OrganizationId;
  readonly owner: UserId | "";
  readonly credentialId: CredentialId | null;
}

/** The changes of an update; undefined fields are not changed. */
interface Changes extends ConnectionChanges {
  /** The new credential; null clears it. */
  readonly credentialId: CredentialId | null | undefined;
}

export const connectionColumns = sql`
  id, organization_id, owner, name, description, kind, type, status, credential_id, metadata, created_at, updated_at,
  deleted_at, etag`;

export const {
  select: selectConnection,
  selectForShare: selectConnectionForShare,
  selectForUpdate: selectConnectionForUpdate,
} = liveRecords<ConnectionRow>(sql`connections`, connectionColumns);

export const connectionDeletion = softDeletes<ConnectionId>(sql`connections`);
export const { softDelete: softDeleteConnection } = connectionDeletion;

const connectionInsertion = statement<ConnectionRow>`
  insert into connections
    (id, organization_id, owner, name, description, kind, type, status, credential_id, metadata)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  returning ${connectionColumns}`;

/** Inserts a connection; the caller's locks keep its organization and its credential live. */
export async function insertConnection(tx: Tx, connection: NewConnection): Promise<ConnectionRow> {
  const { id, organizationId, owner, name, description, kind, type, status, credentialId, metadata } = connection;
  const result = await tx.query(connectionInsertion, [
    id,
    organizationId,
    owner,
    name,
    description,
    kind,
    type,
    status,
    credentialId,
    metadata,
  ]);
  return oneRow(result);
}

const connectionFieldsUpdate = statement<ConnectionRow>`
  update connections
  set name = coalesce($2, name), description = coalesce($3, description), kind = coalesce($4, kind),
    type = coalesce($5, type), status = coalesce($6, status), metadata = coalesce($7, metadata),
    credential_id = case when $8 then $9 else credential_id end, updated_at = ${writeTime}
  where id = $1 and deleted_at is null and ${hasTag(10)}
  returning ${connectionColumns}`;

/**
 * Updates a live connection and locks it FOR NO KEY UPDATE until `tx` ends; the caller's lock keeps its credential
 * live. Returns undefined if it is not live.
 */
export async function updateConnectionFields(
  tx: Tx,
  id: ConnectionId,
  changes: Changes,
  tags: RequiredTags,
): Promise<ConnectionRow | undefined> {
  const { name, description, kind, type, status, credentialId, metadata } = changes;
  const texts = [name, description, kind, type, status, metadata].map((text) => text ?? null);
  const { rows } = await tx.query(connectionFieldsUpdate, [
    id,
    ...texts,
    credentialId !== undefined,
    credentialId ?? null,
    tags,
  ]);
  return rows[0];
}

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
