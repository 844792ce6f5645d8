import type { ListConnectionEnvironmentsRequest } from "@cloud/proto/environment/v1/directory_service_pb";
import { type Caller, type ConnectionId, isId } from "@cloud/rpc";
import { selectEnvironmentIdsOfConnection } from "../assignments/assignment-sql.ts";
import type { Context } from "../context.ts";

/** The live environments of a live connection; none for an id that names nothing. */
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
