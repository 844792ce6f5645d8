import type { Caller } from "@cloud/access";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { UpdateConnectionRequest } from "@cloud/proto/environment/v1/connection_service_pb";
import { assertHasTag, changedRow, requiredTags } from "@cloud/service/records";
import type { Context } from "../context.ts";
import { lockCredential } from "../credentials/get-credential.ts";
import { connectionToProto } from "../to-proto.ts";
import { requireConnection } from "./get-connection.ts";
import { parseConnectionChanges } from "./rules.ts";
import { updateConnectionFields } from "./sql.ts";

/** Updates the fields that are sent. A request without fields changes nothing, not even the time of the last update. */
export async function updateConnection(context: Context, caller: Caller, request: UpdateConnectionRequest) {
  const changes = parseConnectionChanges(request);
  const tags = requiredTags(context, request);
  const connection = await requireConnection(context, caller, request.id);
  const { credentialId: wanted } = request;
  if (wanted === undefined && Object.values(changes).every((change) => change === undefined)) {
    assertHasTag(connection, tags);
    return { connection: connectionToProto(connection) };
  }
  const row = await context.db.transaction(async (tx) => {
    const credentialId =
      wanted === undefined ? undefined : await lockCredential(tx, connection.organization_id, wanted);
    return await updateConnectionFields(tx, connection.id, { ...changes, credentialId }, tags);
  });
  return { connection: connectionToProto(changedRow(row, tags, Reason.CONNECTION_NOT_FOUND)) };
}
