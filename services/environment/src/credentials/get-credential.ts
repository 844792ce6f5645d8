import type { Caller } from "@cloud/contract";
import type { GetCredentialRequest } from "@cloud/proto/environment/v1/credential_service_pb";
import type { Context } from "../context.ts";
import { credentialToProto } from "./credential-to-proto.ts";
import { requireCredential } from "./require-credential.ts";

export async function getCredential(context: Context, caller: Caller, request: GetCredentialRequest) {
  const credential = await requireCredential(context, caller, request.id);
  return { credential: credentialToProto(credential) };
}
