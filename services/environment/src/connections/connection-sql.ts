import type { JsonObject } from "@bufbuild/protobuf";
import type { ConnectionId, CredentialId, OrganizationId, UserId } from "@cloud/contract";
import { oneRow, sql, type Tx } from "@cloud/postgres";
import { liveRecords, recordDeletion } from "@cloud/service";

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
  readonly id: ConnectionId;
  readonly organizationId: OrganizationId;
  readonly owner: UserId | "";
  readonly name: string;
  readonly description: string;
  readonly kind: string;
  readonly type: string;
  readonly status: string;
  readonly credentialId: CredentialId | null;
  /** A JSON object. */
  readonly metadata: string;
}

export const connectionColumns = sql`
  id, organization_id, owner, name, description, kind, type, status, credential_id, metadata, created_at, updated_at,
  deleted_at`;

export const {
  select: selectConnection,
  selectForShare: selectConnectionForShare,
  selectForUpdate: selectConnectionForUpdate,
} = liveRecords<ConnectionRow>(sql`connections`, connectionColumns);

export const connectionDeletion = recordDeletion<ConnectionId>(sql`connections`);
export const { softDelete: softDeleteConnection } = connectionDeletion;

/** Inserts a connection; the caller's locks keep its organization and its credential live. */
export async function insertConnection(tx: Tx, connection: NewConnection): Promise<ConnectionRow> {
  const { id, organizationId, owner, name, description, kind, type, status, credentialId, metadata } = connection;
  const result = await tx.query<ConnectionRow>(
    sql`
      insert into connections
        (id, organization_id, owner, name, description, kind, type, status, credential_id, metadata)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      returning ${connectionColumns}`,
    [id, organizationId, owner, name, description, kind, type, status, credentialId, metadata],
  );
  return oneRow(result);
}
