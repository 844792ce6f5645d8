import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type Caller, type CredentialId, fail, parseId, requireMembership } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { type CredentialRow, selectCredential } from "./credential-sql.ts";

/** @throws CREDENTIAL_NOT_FOUND for an id that is malformed, missing, deleted or of another organization. */
export async function findCredential(context: Context, caller: Caller, id: string): Promise<CredentialRow> {
  const notFound = Reason.CREDENTIAL_NOT_FOUND;
  const credential = await selectCredential(context.db, parseId<CredentialId>(id, notFound));
  if (credential === undefined) {
    throw fail(notFound);
  }
  await requireMembership(caller, credential.organization_id, notFound);
  return credential;
}
