import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { orThrow, parseId } from "@cloud/access/values";
import { appendEvent } from "@cloud/events";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { RemoveConnectionRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import { ConnectionUnassignedSchema } from "@cloud/proto/environment/v1/events_pb";
import type { Context } from "../context.ts";
import { requireEnvironment } from "../environments/get-environment.ts";
import { selectEnvironmentForUpdate } from "../environments/sql.ts";
import type { ConnectionId } from "../ids.ts";
import { deleteLink } from "../links/sql.ts";
import { assertDetachable } from "./rules.ts";

/** Deletes the link of a connection to an environment. @throws CONNECTION_ASSIGNMENT_NOT_FOUND if there is none. */
export async function removeConnection(context: Context, caller: Caller, request: RemoveConnectionRequest) {
  const target = await requireEnvironment(context, caller, request.id);
  assertDetachable(target);
  const connectionId = parseId<ConnectionId>(request.connectionId, Reason.CONNECTION_ASSIGNMENT_NOT_FOUND);

  await context.db.transaction(async (tx) => {
    // FOR UPDATE, not FOR SHARE: an assign whose insert found an existing link must still find it when it reads it.
    const environment = orThrow(await selectEnvironmentForUpdate(tx, target.id), Reason.ENVIRONMENT_NOT_FOUND);
    if (!(await deleteLink(tx, environment.id, connectionId))) {
      throw fail(Reason.CONNECTION_ASSIGNMENT_NOT_FOUND);
    }
    appendEvent(tx, ConnectionUnassignedSchema, {
      environmentId: environment.id,
      connectionId,
      organizationId: environment.organization_id,
      actor: caller.userId,
    });
  });
  return {};
}
