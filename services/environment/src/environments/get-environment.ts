import type { Caller } from "@cloud/access";
import { type EnvironmentId, orThrow, parseId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetEnvironmentRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import type { Context } from "../context.ts";
import { environmentToProto } from "../to-proto.ts";
import type { EnvironmentRow } from "./sql.ts";

export async function getEnvironment(context: Context, caller: Caller, request: GetEnvironmentRequest) {
  return { environment: environmentToProto(await requireEnvironment(context, caller, request.id)) };
}

/**
 * Returns the live environment that a request names, to a caller with the RPC's permission.
 *
 * @throws `notFound` if it is malformed, missing, deleted or in another organization; PERMISSION_DENIED.
 */
export async function requireEnvironment(
  context: Context,
  caller: Caller,
  id: string,
  notFound: Reason = Reason.ENVIRONMENT_NOT_FOUND,
): Promise<EnvironmentRow> {
  const environment = orThrow(await context.selectEnvironment(parseId<EnvironmentId>(id, notFound)), notFound);
  await caller.requireAccess(environment.organization_id, notFound);
  return environment;
}
