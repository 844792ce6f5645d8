import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { UpdateEnvironmentRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import { type Caller, fail, requirePermission } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { parseEnvironmentTexts } from "./environment-rules.ts";
import { updateEnvironmentTexts } from "./environment-sql.ts";
import { environmentToProto } from "./environment-to-proto.ts";
import { findEnvironment } from "./find-environment.ts";

/** Replaces both texts, of a platform-provisioned environment too: only deletion and links are the platform's own. */
export async function updateEnvironment(context: Context, caller: Caller, request: UpdateEnvironmentRequest) {
  const environment = await findEnvironment(context, caller, request.id);
  requirePermission(caller, environment.organization_id, Permission.EDIT_ENVIRONMENT);
  const { name, description } = parseEnvironmentTexts(request, "update");

  const row = await context.db.withTransaction((tx) => updateEnvironmentTexts(tx, environment.id, name, description));
  if (row === undefined) {
    throw fail(Reason.ENVIRONMENT_NOT_FOUND);
  }
  return { environment: environmentToProto(row) };
}
