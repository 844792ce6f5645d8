import { type Caller, type CredentialId, found, parseId } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Context } from "../context.ts";
import { type CredentialRow, selectCredential } from "./credential-sql.ts";

/**
 * Returns the credential that a request names, to a caller with the RPC's permission.
 *
 * @throws CREDENTIAL_NOT_FOUND if it is malformed, missing, deleted or in another organization; PERMISSION_DENIED.
 */
export async function requireCredential(context: Context, caller: Caller, id: string): Promise<CredentialRow> {
  const notFound = Reason.CREDENTIAL_NOT_FOUND;
  const credential = found(await selectCredential(context.db, parseId<CredentialId>(id, notFound)), notFound);
  await caller.requireAccess(credential.organization_id, notFound);
  return credential;
}
