import { appendEvent } from "@cloud/messaging";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { RemoveConnectionRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import { ConnectionUnassignedSchema } from "@cloud/proto/environment/v1/events_pb";
import { type Caller, type ConnectionId, fail, parseId, requirePermission } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { selectEnvironmentForUpdate } from "../environments/environment-sql.ts";
import { findEnvironment } from "../environments/find-environment.ts";
import { assertDetachable } from "./assignment-rules.ts";
import { deleteLink } from "./assignment-sql.ts";

export async function removeConnection(context: Context, caller: Caller, request: RemoveConnectionRequest) {
  const found = await findEnvironment(context, caller, request.id);
  requirePermission(caller, found.organization_id, Permission.REMOVE_CONNECTIONS_FROM_ENVIRONMENT);
  assertDetachable(found);
  const connectionId = parseId<ConnectionId>(request.connectionId, Reason.CONNECTION_ASSIGNMENT_NOT_FOUND);

  await context.db.withTransaction(async (tx) => {
    // Not a share lock: an assign that lost to an existing link must still find that link when it reads it.
    const environment = await selectEnvironmentForUpdate(tx, found.id);
    if (environment === undefined) {
      throw fail(Reason.ENVIRONMENT_NOT_FOUND);
    }
    if (!(await deleteLink(tx, environment.id, connectionId))) {
      throw fail(Reason.CONNECTION_ASSIGNMENT_NOT_FOUND);
    }
    await appendEvent(tx, ConnectionUnassignedSchema, {
      environmentId: environment.id,
      connectionId,
      organizationId: environment.organization_id,
      actor: caller.userId,
    });
  });
  return {};
}
