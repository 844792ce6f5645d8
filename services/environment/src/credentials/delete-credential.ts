import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { DeleteCredentialRequest } from "@cloud/proto/environment/v1/credential_service_pb";
import { type Caller, fail, requirePermission } from "@cloud/rpc";
import { clearCredential } from "../connections/connection-sql.ts";
import type { Context } from "../context.ts";
import { selectCredentialForUpdate, softDeleteCredential } from "./credential-sql.ts";
import { findCredential } from "./find-credential.ts";

/** Deletes the credential; connections that refer to it stay, with an empty reference. */
export async function deleteCredential(context: Context, caller: Caller, request: DeleteCredentialRequest) {
  const found = await findCredential(context, caller, request.id);
  requirePermission(caller, found.organization_id, Permission.MANAGE_CONNECTIONS);

  await context.db.withTransaction(async (tx) => {
    const credential = await selectCredentialForUpdate(tx, found.id);
    if (credential === undefined) {
      throw fail(Reason.CREDENTIAL_NOT_FOUND);
    }
    await clearCredential(tx, credential.id);
    await softDeleteCredential(tx, credential.id);
  });
  return {};
}
