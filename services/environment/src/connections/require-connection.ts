import { type Caller, type ConnectionId, found, parseId } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Context } from "../context.ts";
import { type ConnectionRow, selectConnection } from "./connection-sql.ts";

/**
 * Returns the connection that a request names, to a caller with the RPC's permission.
 *
 * @throws CONNECTION_NOT_FOUND if it is malformed, missing, deleted or in another organization; PERMISSION_DENIED.
 */
export async function requireConnection(context: Context, caller: Caller, id: string): Promise<ConnectionRow> {
  const notFound = Reason.CONNECTION_NOT_FOUND;
  const connection = found(await selectConnection(context.db, parseId<ConnectionId>(id, notFound)), notFound);
  await caller.requireAccess(connection.organization_id, notFound);
  return connection;
}
