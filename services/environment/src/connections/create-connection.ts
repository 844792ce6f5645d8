import type { Tx } from "@cloud/postgres";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { CreateConnectionRequest } from "@cloud/proto/environment/v1/connection_service_pb";
import {
  type Caller,
  type ConnectionId,
  type CredentialId,
  fail,
  newId,
  type OrganizationId,
  ownerFor,
  parseId,
  parseOrganizationId,
} from "@cloud/rpc";
import type { Context } from "../context.ts";
import { selectCredentialForShare } from "../credentials/credential-sql.ts";
import { lockOrganization, requireOrganization } from "../organizations/organization-guard.ts";
import { parseConnectionFields } from "./connection-rules.ts";
import { insertConnection } from "./connection-sql.ts";
import { connectionToProto } from "./connection-to-proto.ts";

export async function createConnection(context: Context, caller: Caller, request: CreateConnectionRequest) {
  const permission = Permission.MANAGE_CONNECTIONS;
  const organizationId = parseOrganizationId(request.organizationId);
  const fields = parseConnectionFields(request);
  await requireOrganization(context, caller, organizationId, permission);

  const owner = ownerFor(caller, request.owner);
  const id = newId<ConnectionId>();
  const row = await context.db.withTransaction(async (tx) => {
    await lockOrganization(tx, caller, organizationId, permission);
    const credentialId = await lockCredential(tx, organizationId, request.credentialId);
    return insertConnection(tx, { id, organizationId, owner, credentialId, ...fields });
  });
  return { connection: connectionToProto(row) };
}

/** Keeps the credential live until the end of `tx`; an empty reference needs none. */
async function lockCredential(tx: Tx, organizationId: OrganizationId, id: string): Promise<CredentialId | null> {
  if (id === "") {
    return null;
  }
  const credential = await selectCredentialForShare(tx, parseId<CredentialId>(id, Reason.CREDENTIAL_NOT_FOUND));
  if (credential?.organization_id !== organizationId) {
    throw fail(Reason.CREDENTIAL_NOT_FOUND);
  }
  return credential.id;
}
