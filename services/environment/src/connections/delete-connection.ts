import type { Caller } from "@cloud/access";
import { orThrow } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { DeleteConnectionRequest } from "@cloud/proto/environment/v1/connection_service_pb";
import { assertHasTag, requiredTags } from "@cloud/service/records";
import type { Context } from "../context.ts";
import { deleteLinksOfConnection } from "../links/sql.ts";
import { requireConnection } from "./get-connection.ts";
import { selectConnectionForUpdate, softDeleteConnection } from "./sql.ts";

/** Deletes the connection and its links to environments. */
export async function deleteConnection(context: Context, caller: Caller, request: DeleteConnectionRequest) {
  const tags = requiredTags(context, request);
  const target = await requireConnection(context, caller, request.id);

  await context.db.transaction(async (tx) => {
    const connection = orThrow(await selectConnectionForUpdate(tx, target.id), Reason.CONNECTION_NOT_FOUND);
    assertHasTag(connection, tags);
    await deleteLinksOfConnection(tx, connection.id);
    await softDeleteConnection(tx, connection.id);
  });
  return {};
}
