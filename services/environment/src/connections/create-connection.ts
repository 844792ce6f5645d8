import { type Caller, ownerFor } from "@cloud/access";
import { newId, parseOrganizationId } from "@cloud/access/values";
import type { CreateConnectionRequest } from "@cloud/proto/environment/v1/connection_service_pb";
import { createOnce } from "@cloud/service";
import type { Context } from "../context.ts";
import { lockCredential } from "../credentials/get-credential.ts";
import type { ConnectionId } from "../ids.ts";
import { insertAndLockOrganization, requireOrganization } from "../organizations/require-organization.ts";
import { connectionToProto } from "../to-proto.ts";
import { parseConnectionFields } from "./rules.ts";
import { insertConnection } from "./sql.ts";

/** Creates a connection. @throws CREDENTIAL_NOT_FOUND also for a credential of another organization. */
export async function createConnection(context: Context, caller: Caller, request: CreateConnectionRequest) {
  const organizationId = parseOrganizationId(request.organizationId);
  const fields = parseConnectionFields(request);
  await requireOrganization(context, caller, organizationId);

  const owner = ownerFor(caller, request.owner);
  const id = newId<ConnectionId>();
  return await createOnce(context, async (tx) => {
    await insertAndLockOrganization(tx, caller, organizationId);
    const credentialId = await lockCredential(tx, organizationId, request.credentialId);
    const row = await insertConnection(tx, { id, organizationId, owner, credentialId, ...fields });
    return { connection: connectionToProto(row) };
  });
}
