import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { GetConnectionRequest } from "@cloud/proto/environment/v1/connection_service_pb";
import { type Caller, requirePermission } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { connectionToProto } from "./connection-to-proto.ts";
import { findConnection } from "./find-connection.ts";

export async function getConnection(context: Context, caller: Caller, request: GetConnectionRequest) {
  const connection = await findConnection(context, caller, request.id);
  requirePermission(caller, connection.organization_id, Permission.VIEW_CONNECTIONS);
  return { connection: connectionToProto(connection) };
}
