import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { CreateCredentialRequest } from "@cloud/proto/environment/v1/credential_service_pb";
import { type Caller, type CredentialId, newId, ownerFor, parseOrganizationId, parseTextParameter } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { lockOrganization, requireOrganization } from "../organizations/organization-guard.ts";
import { insertCredential } from "./credential-sql.ts";
import { credentialToProto } from "./credential-to-proto.ts";

/** Creates a reference to a credential that is kept elsewhere; no secret comes here. */
export async function createCredential(context: Context, caller: Caller, request: CreateCredentialRequest) {
  const permission = Permission.MANAGE_CONNECTIONS;
  const organizationId = parseOrganizationId(request.organizationId);
  const fields = { name: parseTextParameter("name", request.name), type: parseTextParameter("type", request.type) };
  await requireOrganization(context, caller, organizationId, permission);

  const owner = ownerFor(caller, request.owner);
  const id = newId<CredentialId>();
  const row = await context.db.withTransaction(async (tx) => {
    await lockOrganization(tx, caller, organizationId, permission);
    return insertCredential(tx, { id, organizationId, owner, ...fields });
  });
  return { credential: credentialToProto(row) };
}
