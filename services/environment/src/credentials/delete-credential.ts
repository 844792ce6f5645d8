import type { Caller } from "@cloud/access";
import { orThrow } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { DeleteCredentialRequest } from "@cloud/proto/environment/v1/credential_service_pb";
import { assertHasTag, requiredTags } from "@cloud/service/records";
import type { Context } from "../context.ts";
import { requireCredential } from "./get-credential.ts";
import { clearCredential, selectCredentialForUpdate, softDeleteCredential } from "./sql.ts";

/** Deletes the credential; connections that reference it stay live, without a credential. */
export async function deleteCredential(context: Context, caller: Caller, request: DeleteCredentialRequest) {
  const tags = requiredTags(context, request);
  const target = await requireCredential(context, caller, request.id || request.credentialId);

  await context.db.transaction(async (tx) => {
    const credential = orThrow(await selectCredentialForUpdate(tx, target.id), Reason.CREDENTIAL_NOT_FOUND);
    assertHasTag(credential, tags);
    await clearCredential(tx, credential.id);
    await softDeleteCredential(tx, credential.id);
  });
  return {};
}
