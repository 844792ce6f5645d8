import { appendEvent } from "@cloud/messaging";
import type { Tx } from "@cloud/postgres";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { AssignConnectionRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import { ConnectionAssignedSchema } from "@cloud/proto/environment/v1/events_pb";
import {
  type Caller,
  type ConnectionId,
  type EnvironmentId,
  fail,
  type Id,
  newId,
  parseId,
  requirePermission,
} from "@cloud/rpc";
import { selectConnectionForShare } from "../connections/connection-sql.ts";
import type { Context } from "../context.ts";
import { selectEnvironmentForShare } from "../environments/environment-sql.ts";
import { findEnvironment } from "../environments/find-environment.ts";
import { assertAssignable } from "./assignment-rules.ts";
import { type AssignmentRow, insertLink, selectLink } from "./assignment-sql.ts";
import { assignmentToProto } from "./assignment-to-proto.ts";

export async function assignConnection(context: Context, caller: Caller, request: AssignConnectionRequest) {
  const environment = await findEnvironment(context, caller, request.id);
  requirePermission(caller, environment.organization_id, Permission.ASSIGN_CONNECTIONS_TO_ENVIRONMENT);
  const connectionId = parseId<ConnectionId>(request.connectionId, Reason.CONNECTION_NOT_FOUND);

  const link = await context.db.withTransaction((tx) => ensureLink(tx, environment.id, connectionId, caller.userId));
  return { assignment: assignmentToProto(link) };
}

/** The link of the two, new or existing. The share locks keep both live, and the link in place, until the end of `tx`. */
async function ensureLink(
  tx: Tx,
  environmentId: EnvironmentId,
  connectionId: ConnectionId,
  actor: string,
): Promise<AssignmentRow> {
  const environment = await selectEnvironmentForShare(tx, environmentId);
  if (environment === undefined) {
    throw fail(Reason.ENVIRONMENT_NOT_FOUND);
  }
  const connection = await selectConnectionForShare(tx, connectionId);
  if (connection === undefined) {
    throw fail(Reason.CONNECTION_NOT_FOUND);
  }
  assertAssignable(environment, connection);

  const inserted = await insertLink(tx, newId<Id>(), environmentId, connectionId);
  if (inserted !== undefined) {
    const organizationId = environment.organization_id;
    await appendEvent(tx, ConnectionAssignedSchema, { environmentId, connectionId, organizationId, actor });
    return inserted;
  }
  return selectLink(tx, environmentId, connectionId);
}
