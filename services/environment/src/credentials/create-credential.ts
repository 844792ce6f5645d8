import { type Caller, ownerFor } from "@cloud/access";
import { newId, parseOrganizationId, parseTextParameter } from "@cloud/access/values";
import type { CreateCredentialRequest } from "@cloud/proto/environment/v1/credential_service_pb";
import { createOnce } from "@cloud/service";
import type { Context } from "../context.ts";
import type { CredentialId } from "../ids.ts";
import { insertAndLockOrganization, requireOrganization } from "../organizations/require-organization.ts";
import { credentialToProto } from "../to-proto.ts";
import { insertCredential } from "./sql.ts";

/** Creates a reference to a credential that is stored elsewhere; this service never receives the secret. */
export async function createCredential(context: Context, caller: Caller, request: CreateCredentialRequest) {
  const organizationId = parseOrganizationId(request.organizationId);
  const fields = { name: parseTextParameter("name", request.name), type: parseTextParameter("type", request.type) };
  await requireOrganization(context, caller, organizationId);

  const owner = ownerFor(caller, request.owner);
  const id = newId<CredentialId>();
  return await createOnce(context, async (tx) => {
    await insertAndLockOrganization(tx, caller, organizationId);
    const created = await insertCredential(tx, { id, organizationId, owner, ...fields });
    return { credential: credentialToProto(created) };
  });
}
