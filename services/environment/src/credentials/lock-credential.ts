import { type CredentialId, fail, type OrganizationId, parseId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { selectCredentialForShare } from "./credential-sql.ts";

/**
 * Locks a credential of the organization FOR SHARE until `tx` ends; returns null for an empty id.
 *
 * @throws CREDENTIAL_NOT_FOUND also for a credential of another organization.
 */
export async function lockCredential(tx: Tx, organizationId: OrganizationId, id: string): Promise<CredentialId | null> {
  if (id === "") {
    return null;
  }
  const credential = await selectCredentialForShare(tx, parseId<CredentialId>(id, Reason.CREDENTIAL_NOT_FOUND));
  if (credential?.organization_id !== organizationId) {
    throw fail(Reason.CREDENTIAL_NOT_FOUND);
  }
  return credential.id;
}
