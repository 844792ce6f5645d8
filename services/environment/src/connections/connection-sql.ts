import type { JsonObject } from "@bufbuild/protobuf";
import type { Sql, Tx } from "@cloud/postgres";
import { oneRow } from "@cloud/postgres";
import type { ConnectionId, CredentialId, OrganizationId, UserId } from "@cloud/rpc";

export interface ConnectionRow {
  id: ConnectionId;
  organization_id: OrganizationId;
  owner: UserId | "";
  name: string;
  description: string;
  kind: string;
  type: string;
  status: string;
  credential_id: CredentialId | null;
  metadata: JsonObject;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

export interface NewConnection {
  id: ConnectionId;
  organizationId: OrganizationId;
  owner: UserId | "";
  name: string;
  description: string;
  kind: string;
  type: string;
  status: string;
  credentialId: CredentialId | null;
  /** An object as JSON. */
  metadata: string;
}

export const connectionColumns =
  "id, organization_id, owner, name, description, kind, type, status, credential_id, metadata, " +
  "created_at, updated_at, deleted_at";

const selectLive = "select " + connectionColumns + " from connections where id = $1 and deleted_at is null";

export async function selectConnection(sql: Sql, id: ConnectionId): Promise<ConnectionRow | undefined> {
  return (await sql.query<ConnectionRow>(selectLive, [id])).rows[0];
}

/** Keeps the connection live until the end of `tx`, and lets others do the same. */
export async function selectConnectionForShare(tx: Tx, id: ConnectionId): Promise<ConnectionRow | undefined> {
  return (await tx.query<ConnectionRow>(selectLive + " for share", [id])).rows[0];
}

/** Keeps everybody else who locks the connection waiting until the end of `tx`. */
export async function selectConnectionForUpdate(tx: Tx, id: ConnectionId): Promise<ConnectionRow | undefined> {
  return (await tx.query<ConnectionRow>(selectLive + " for update", [id])).rows[0];
}

export async function insertConnection(tx: Tx, connection: NewConnection): Promise<ConnectionRow> {
  const { id, organizationId, owner, name, description, kind, type, status, credentialId, metadata } = connection;
  const result = await tx.query<ConnectionRow>(
    "insert into connections " +
      "(id, organization_id, owner, name, description, kind, type, status, credential_id, metadata) " +
      "values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning " +
      connectionColumns,
    [id, organizationId, owner, name, description, kind, type, status, credentialId, metadata],
  );
  return oneRow(result);
}

export async function softDeleteConnection(tx: Tx, id: ConnectionId): Promise<void> {
  await tx.query("update connections set deleted_at = now() where id = $1 and deleted_at is null", [id]);
}

export async function softDeleteConnectionsOf(tx: Tx, organizationId: OrganizationId): Promise<void> {
  await tx.query("update connections set deleted_at = now() where organization_id = $1 and deleted_at is null", [
    organizationId,
  ]);
}

/** Empties the reference of the live connections that refer to the credential. */
export async function clearCredential(tx: Tx, credentialId: CredentialId): Promise<void> {
  await tx.query(
    "update connections set credential_id = null, updated_at = now() where credential_id = $1 and deleted_at is null",
    [credentialId],
  );
}
