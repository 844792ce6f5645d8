import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { type OrganizationId, orThrow, parseId } from "@cloud/access/values";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetCredentialRequest } from "@cloud/proto/environment/v1/credential_service_pb";
import type { Context } from "../context.ts";
import type { CredentialId } from "../ids.ts";
import { credentialToProto } from "../to-proto.ts";
import { type CredentialRow, selectCredential, selectCredentialForShare } from "./sql.ts";

export async function getCredential(context: Context, caller: Caller, request: GetCredentialRequest) {
  const credential = await requireCredential(context, caller, request.id);
  return { credential: credentialToProto(credential) };
}

/**
 * Returns the credential that a request names, to a caller with the RPC's permission.
 *
 * @throws CREDENTIAL_NOT_FOUND if it is malformed, missing, deleted or in another organization; PERMISSION_DENIED.
 */
export async function requireCredential(context: Context, caller: Caller, id: string): Promise<CredentialRow> {
  const notFound = Reason.CREDENTIAL_NOT_FOUND;
  const credential = orThrow(await selectCredential(context.db, parseId<CredentialId>(id, notFound)), notFound);
  await caller.requireAccess(credential.organization_id, notFound);
  return credential;
}

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
