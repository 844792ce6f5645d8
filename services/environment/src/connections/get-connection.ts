import type { Caller } from "@cloud/contract";
import type { GetConnectionRequest } from "@cloud/proto/environment/v1/connection_service_pb";
import type { Context } from "../context.ts";
import { connectionToProto } from "./connection-to-proto.ts";
import { requireConnection } from "./require-connection.ts";

export async function getConnection(context: Context, caller: Caller, request: GetConnectionRequest) {
  const connection = await requireConnection(context, caller, request.id);
  return { connection: connectionToProto(connection) };
}
