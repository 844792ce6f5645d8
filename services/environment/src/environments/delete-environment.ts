import type { Caller } from "@cloud/access";
import { orThrow } from "@cloud/access/values";
import { appendEvent } from "@cloud/events";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { DeleteEnvironmentRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { assertHasTag, requiredTags } from "@cloud/service/records";
import type { Context } from "../context.ts";
import { deleteLinksOfEnvironment } from "../links/sql.ts";
import { requireEnvironment } from "./get-environment.ts";
import { assertDeletable } from "./rules.ts";
import { selectEnvironmentForUpdate, softDeleteEnvironment } from "./sql.ts";

/** Deletes the environment and its connection links; the workspace service unlinks it on the event. */
export async function deleteEnvironment(context: Context, caller: Caller, request: DeleteEnvironmentRequest) {
  const tags = requiredTags(context, request);
  const notFound = Reason.ENVIRONMENT_TO_DELETE_NOT_FOUND;
  const target = await requireEnvironment(context, caller, request.id, notFound);

  await context.db.transaction(async (tx) => {
    const environment = orThrow(await selectEnvironmentForUpdate(tx, target.id), notFound);
    assertHasTag(environment, tags);
    assertDeletable(environment);
    await deleteLinksOfEnvironment(tx, environment.id);
    await softDeleteEnvironment(tx, environment.id);
    appendEvent(tx, EnvironmentDeletedSchema, {
      environmentId: environment.id,
      organizationId: environment.organization_id,
      actor: caller.userId,
    });
  });
  return {};
}
