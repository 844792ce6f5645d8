import type { ListParameters } from "@cloud/access/lists";
import type { OrganizationId, UserId } from "@cloud/access/values";
import { oneRow, type Reader, sql, statement, type Tx } from "@cloud/postgres";
import { type Page, selectPage } from "@cloud/postgres/lists";
import { inOrganizations, liveRecords, type RecordRow, softDeletes, writeTime } from "@cloud/service/records";
import type { CredentialId } from "../ids.ts";

export interface CredentialRow extends Omit<RecordRow<CredentialId>, "description"> {
  owner: UserId | "";
  type: string;
}

interface NewCredential {
  readonly id: CredentialId;
  readonly organizationId: OrganizationId;
  readonly owner: UserId | "";
  readonly name: string;
  readonly type: string;
}

const columns = sql`id, organization_id, owner, name, type, created_at, updated_at, deleted_at, etag`;

export const {
  select: selectCredential,
  selectForShare: selectCredentialForShare,
  selectForUpdate: selectCredentialForUpdate,
} = liveRecords<CredentialRow>(sql`credentials`, columns);

export const credentialDeletion = softDeletes<CredentialId>(sql`credentials`);
export const { softDelete: softDeleteCredential } = credentialDeletion;

const credentialInsertion = statement<CredentialRow>`
  insert into credentials (id, organization_id, owner, name, type)
  values ($1, $2, $3, $4, $5)
  returning ${columns}`;

/** Inserts a credential; the caller's lock keeps its organization live. */
export async function insertCredential(tx: Tx, credential: NewCredential): Promise<CredentialRow> {
  const { id, organizationId, owner, name, type } = credential;
  const result = await tx.query(credentialInsertion, [id, organizationId, owner, name, type]);
  return oneRow(result);
}

/** Returns a page of the live credentials of the organizations. Searches the name only: there is no description. */
export async function selectCredentialsOf(
  db: Reader,
  organizationIds: readonly OrganizationId[],
  query: ListParameters,
): Promise<Page<CredentialRow>> {
  const { condition, param, count, searching } = inOrganizations(organizationIds, 1);
  return selectPage<CredentialRow>(db, {
    columns,
    from: sql`credentials`,
    where: sql`${condition} and deleted_at is null`,
    params: [param],
    count: count(sql`list = 'credentials'`),
    ...searching(sql`name`),
    ...query,
  });
}

const credentialClearing = statement`
  update connections
  set credential_id = null, updated_at = ${writeTime}
  where credential_id = $1 and deleted_at is null`;

/** Clears the `credential_id` of the live connections that reference the credential. */
export async function clearCredential(tx: Tx, credentialId: CredentialId): Promise<void> {
  await tx.query(credentialClearing, [credentialId]);
}
