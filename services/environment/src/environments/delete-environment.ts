import { appendEvent } from "@cloud/messaging";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { DeleteEnvironmentRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { type Caller, fail, requirePermission } from "@cloud/rpc";
import { deleteLinksOfEnvironment } from "../assignments/assignment-sql.ts";
import type { Context } from "../context.ts";
import { assertDeletable } from "./environment-rules.ts";
import { selectEnvironmentForUpdate, softDeleteEnvironment } from "./environment-sql.ts";
import { findEnvironment } from "./find-environment.ts";

/** Deletes the environment and its connection links; its workspace links end by the event. */
export async function deleteEnvironment(context: Context, caller: Caller, request: DeleteEnvironmentRequest) {
  const notFound = Reason.ENVIRONMENT_TO_DELETE_NOT_FOUND;
  const found = await findEnvironment(context, caller, request.id, notFound);
  requirePermission(caller, found.organization_id, Permission.DELETE_ENVIRONMENT);

  await context.db.withTransaction(async (tx) => {
    const environment = await selectEnvironmentForUpdate(tx, found.id);
    if (environment === undefined) {
      throw fail(notFound);
    }
    assertDeletable(environment);
    await deleteLinksOfEnvironment(tx, environment.id);
    await softDeleteEnvironment(tx, environment.id);
    await appendEvent(tx, EnvironmentDeletedSchema, {
      environmentId: environment.id,
      organizationId: environment.organization_id,
      actor: caller.userId,
    });
  });
  return {};
}
