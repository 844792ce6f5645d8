import { oneRow, type Page, type Sql, selectPage, type Tx } from "@cloud/postgres";
import type { CredentialId, ListParameters, OrganizationId, UserId } from "@cloud/rpc";

export interface CredentialRow {
  id: CredentialId;
  organization_id: OrganizationId;
  owner: UserId | "";
  name: string;
  type: string;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

export interface NewCredential {
  id: CredentialId;
  organizationId: OrganizationId;
  owner: UserId | "";
  name: string;
  type: string;
}

const columns = "id, organization_id, owner, name, type, created_at, updated_at, deleted_at";

const selectLive = "select " + columns + " from credentials where id = $1 and deleted_at is null";

export async function selectCredential(sql: Sql, id: CredentialId): Promise<CredentialRow | undefined> {
  return (await sql.query<CredentialRow>(selectLive, [id])).rows[0];
}

/** Keeps the credential live until the end of `tx`, and lets others do the same. */
export async function selectCredentialForShare(tx: Tx, id: CredentialId): Promise<CredentialRow | undefined> {
  return (await tx.query<CredentialRow>(selectLive + " for share", [id])).rows[0];
}

/** Keeps everybody else who locks the credential waiting until the end of `tx`. */
export async function selectCredentialForUpdate(tx: Tx, id: CredentialId): Promise<CredentialRow | undefined> {
  return (await tx.query<CredentialRow>(selectLive + " for update", [id])).rows[0];
}

export async function insertCredential(tx: Tx, credential: NewCredential): Promise<CredentialRow> {
  const { id, organizationId, owner, name, type } = credential;
  const result = await tx.query<CredentialRow>(
    "insert into credentials (id, organization_id, owner, name, type) values ($1, $2, $3, $4, $5) returning " + columns,
    [id, organizationId, owner, name, type],
  );
  return oneRow(result);
}

export async function softDeleteCredential(tx: Tx, id: CredentialId): Promise<void> {
  await tx.query("update credentials set deleted_at = now() where id = $1 and deleted_at is null", [id]);
}

export async function softDeleteCredentialsOf(tx: Tx, organizationId: OrganizationId): Promise<void> {
  await tx.query("update credentials set deleted_at = now() where organization_id = $1 and deleted_at is null", [
    organizationId,
  ]);
}

/** A page of the live credentials of the organizations. A credential has no description to search. */
export async function selectCredentialsOf(
  sql: Sql,
  organizationIds: readonly OrganizationId[],
  query: ListParameters,
): Promise<Page<CredentialRow>> {
  const source = { columns, from: "credentials", searchColumns: ["name"] };
  const where = "organization_id = any($1) and deleted_at is null";
  return selectPage<CredentialRow>(sql, { ...source, where, params: [organizationIds], ...query });
}
