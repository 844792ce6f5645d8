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
} from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { CreateConnectionRequest } from "@cloud/proto/environment/v1/connection_service_pb";
import type { Context } from "../context.ts";
import { selectCredentialForShare } from "../credentials/credential-sql.ts";
import { lockOrganization } from "../organizations/lock-organization.ts";
import { requireOrganization } from "../organizations/require-organization.ts";
import { parseConnectionFields } from "./connection-rules.ts";
import { insertConnection } from "./connection-sql.ts";
import { connectionToProto } from "./connection-to-proto.ts";

/** Creates a connection. @throws CREDENTIAL_NOT_FOUND also for a credential of another organization. */
export async function createConnection(context: Context, caller: Caller, request: CreateConnectionRequest) {
  const organizationId = parseOrganizationId(request.organizationId);
  const fields = parseConnectionFields(request);
  await requireOrganization(context, caller, organizationId);

  const owner = ownerFor(caller, request.owner);
  const id = newId<ConnectionId>();
  const row = await context.db.withTransaction(async (tx) => {
    await lockOrganization(tx, caller, organizationId);
    const credentialId = await lockCredential(tx, organizationId, request.credentialId);
    return insertConnection(tx, { id, organizationId, owner, credentialId, ...fields });
  });
  return { connection: connectionToProto(row) };
}

/** Locks the credential FOR SHARE until `tx` ends; returns null for an empty id. @throws CREDENTIAL_NOT_FOUND. */
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
