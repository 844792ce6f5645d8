import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { DeleteConnectionRequest } from "@cloud/proto/environment/v1/connection_service_pb";
import { type Caller, fail, requirePermission } from "@cloud/rpc";
import { deleteLinksOfConnection } from "../assignments/assignment-sql.ts";
import type { Context } from "../context.ts";
import { selectConnectionForUpdate, softDeleteConnection } from "./connection-sql.ts";
import { findConnection } from "./find-connection.ts";

/** Deletes the connection and its environment links. */
export async function deleteConnection(context: Context, caller: Caller, request: DeleteConnectionRequest) {
  const found = await findConnection(context, caller, request.id);
  requirePermission(caller, found.organization_id, Permission.MANAGE_CONNECTIONS);

  await context.db.withTransaction(async (tx) => {
    const connection = await selectConnectionForUpdate(tx, found.id);
    if (connection === undefined) {
      throw fail(Reason.CONNECTION_NOT_FOUND);
    }
    await deleteLinksOfConnection(tx, connection.id);
    await softDeleteConnection(tx, connection.id);
  });
  return {};
}
