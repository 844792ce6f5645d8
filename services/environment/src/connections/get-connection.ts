import type { Caller } from "@cloud/access";
import { orThrow, parseId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetConnectionRequest } from "@cloud/proto/environment/v1/connection_service_pb";
import type { Context } from "../context.ts";
import type { ConnectionId } from "../ids.ts";
import { connectionToProto } from "../to-proto.ts";
import { type ConnectionRow, selectConnection } from "./sql.ts";

export async function getConnection(context: Context, caller: Caller, request: GetConnectionRequest) {
  const connection = await requireConnection(context, caller, request.id);
  return { connection: connectionToProto(connection) };
}

/**
 * Returns the connection that a request names, to a caller with the RPC's permission.
 *
 * @throws CONNECTION_NOT_FOUND if it is malformed, missing, deleted or in another organization; PERMISSION_DENIED.
 */
export async function requireConnection(context: Context, caller: Caller, id: string): Promise<ConnectionRow> {
  const notFound = Reason.CONNECTION_NOT_FOUND;
  const connection = orThrow(await selectConnection(context.db, parseId<ConnectionId>(id, notFound)), notFound);
  await caller.requireAccess(connection.organization_id, notFound);
  return connection;
}
