import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { GetCredentialRequest } from "@cloud/proto/environment/v1/credential_service_pb";
import { type Caller, requirePermission } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { credentialToProto } from "./credential-to-proto.ts";
import { findCredential } from "./find-credential.ts";

export async function getCredential(context: Context, caller: Caller, request: GetCredentialRequest) {
  const credential = await findCredential(context, caller, request.id);
  requirePermission(caller, credential.organization_id, Permission.VIEW_CONNECTIONS);
  return { credential: credentialToProto(credential) };
}
