import type { Caller } from "@cloud/access";
import { type EnvironmentId, type Id, newId, orThrow, parseId } from "@cloud/access/values";
import { appendEvent } from "@cloud/events";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { AssignConnectionRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import { ConnectionAssignedSchema } from "@cloud/proto/environment/v1/events_pb";
import { selectConnectionForShare } from "../connections/sql.ts";
import type { Context } from "../context.ts";
import { requireEnvironment } from "../environments/get-environment.ts";
import { selectEnvironmentForShare } from "../environments/sql.ts";
import type { ConnectionId } from "../ids.ts";
import { type AssignmentRow, insertLink, selectLink } from "../links/sql.ts";
import { assignmentToProto } from "../to-proto.ts";
import { assertAssignable, assertOrdinary } from "./rules.ts";

/** Links a connection to an environment. Idempotent: a repeated request returns the same link. */
export async function assignConnection(context: Context, caller: Caller, request: AssignConnectionRequest) {
  const environment = await requireEnvironment(context, caller, request.id);
  // Before the connection is read: a platform-provisioned environment refuses unknown connections with the same error.
  assertOrdinary(environment);
  const connectionId = parseId<ConnectionId>(request.connectionId, Reason.CONNECTION_NOT_FOUND);

  const link = await context.db.transaction((tx) => ensureLink(tx, environment.id, connectionId, caller.userId));
  return { assignment: assignmentToProto(link) };
}

/** Returns the link, new or existing. Share locks keep both its ends live, and the link in place, until `tx` ends. */
async function ensureLink(
  tx: Tx,
  environmentId: EnvironmentId,
  connectionId: ConnectionId,
  actor: string,
): Promise<AssignmentRow> {
  const environment = orThrow(await selectEnvironmentForShare(tx, environmentId), Reason.ENVIRONMENT_NOT_FOUND);
  const connection = orThrow(await selectConnectionForShare(tx, connectionId), Reason.CONNECTION_NOT_FOUND);
  assertAssignable(environment, connection);

  const inserted = await insertLink(tx, newId<Id>(), environmentId, connectionId);
  if (inserted !== undefined) {
    const organizationId = environment.organization_id;
    appendEvent(tx, ConnectionAssignedSchema, { environmentId, connectionId, organizationId, actor });
    return inserted;
  }
  return selectLink(tx, environmentId, connectionId);
}
