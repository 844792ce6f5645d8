import { type Caller, type EnvironmentId, parseIds } from "@cloud/contract";
import type { BatchGetEnvironmentsRequest } from "@cloud/proto/environment/v1/directory_service_pb";
import type { Context } from "../context.ts";
import { selectEnvironmentsById } from "../environments/environment-sql.ts";
import { environmentToProto } from "../environments/environment-to-proto.ts";

/** Returns the live environments among the ids; omits all others. @throws INVALID_PARAMETER above 1,000 ids. */
export async function batchGetEnvironments(context: Context, _caller: Caller, request: BatchGetEnvironmentsRequest) {
  const rows = await selectEnvironmentsById(context.db, parseIds<EnvironmentId>(request.ids));
  return { environments: rows.map(environmentToProto) };
}
