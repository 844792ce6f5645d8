import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type Caller, type ConnectionId, fail, parseId, requireMembership } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { type ConnectionRow, selectConnection } from "./connection-sql.ts";

/** @throws CONNECTION_NOT_FOUND for an id that is malformed, missing, deleted or of another organization. */
export async function findConnection(context: Context, caller: Caller, id: string): Promise<ConnectionRow> {
  const notFound = Reason.CONNECTION_NOT_FOUND;
  const connection = await selectConnection(context.db, parseId<ConnectionId>(id, notFound));
  if (connection === undefined) {
    throw fail(notFound);
  }
  await requireMembership(caller, connection.organization_id, notFound);
  return connection;
}
