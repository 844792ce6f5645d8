import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { BatchGetEnvironmentsRequest } from "@cloud/proto/environment/v1/directory_service_pb";
import { type Caller, type EnvironmentId, fail, isId } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { selectEnvironmentsById } from "../environments/environment-sql.ts";
import { environmentToProto } from "../environments/environment-to-proto.ts";

/** So that no answer outgrows a message: 1,000 records of the longest texts are about 2 MB. */
const MAX_IDS = 1_000;

/** The live environments among the ids; ids that name none, malformed ones too, are left out. */
export async function batchGetEnvironments(context: Context, _caller: Caller, request: BatchGetEnvironmentsRequest) {
  if (request.ids.length > MAX_IDS) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "ids", accepts: `at most ${MAX_IDS} ids` });
  }
  const rows = await selectEnvironmentsById(context.db, request.ids.filter(isId) as EnvironmentId[]);
  return { environments: rows.map(environmentToProto) };
}
