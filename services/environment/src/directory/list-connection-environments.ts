import { type Caller, type ConnectionId, isId } from "@cloud/contract";
import type { ListConnectionEnvironmentsRequest } from "@cloud/proto/environment/v1/directory_service_pb";
import type { Context } from "../context.ts";
import { selectEnvironmentIdsOfConnection } from "../links/assignment-sql.ts";

/** Returns the ids of a connection's live environments; an unknown, deleted or malformed id yields an empty list. */
export async function listConnectionEnvironments(
  context: Context,
  _caller: Caller,
  request: ListConnectionEnvironmentsRequest,
) {
  if (!isId(request.connectionId)) {
    return { environmentIds: [] };
  }
  return { environmentIds: await selectEnvironmentIdsOfConnection(context.db, request.connectionId as ConnectionId) };
}
