import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type Caller, type EnvironmentId, fail, parseId, requireMembership } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { type EnvironmentRow, selectEnvironment } from "./environment-sql.ts";

/**
 * The live environment of that id in an organization of the caller.
 *
 * @throws `notFound` when it is malformed, missing, deleted or in another organization.
 */
export async function findEnvironment(
  context: Context,
  caller: Caller,
  id: string,
  notFound: Reason = Reason.ENVIRONMENT_NOT_FOUND,
): Promise<EnvironmentRow> {
  const environment = await selectEnvironment(context.db, parseId<EnvironmentId>(id, notFound));
  if (environment === undefined) {
    throw fail(notFound);
  }
  await requireMembership(caller, environment.organization_id, notFound);
  return environment;
}
