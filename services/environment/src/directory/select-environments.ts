import { type Caller, type EnvironmentId, parseSelectionParameters } from "@cloud/contract";
import type { SelectEnvironmentsRequest } from "@cloud/proto/environment/v1/directory_service_pb";
import type { Context } from "../context.ts";
import { selectEnvironmentsAmong } from "../environments/environment-sql.ts";
import { environmentToProto } from "../environments/environment-to-proto.ts";

/** Returns a page of the organization's live environments among the ids, or of the others, for a workspace's lists. */
export async function selectEnvironments(context: Context, _caller: Caller, request: SelectEnvironmentsRequest) {
  const selection = parseSelectionParameters<EnvironmentId>(request);
  const { page, pageSize } = selection.query;
  const { rows, ...total } = await selectEnvironmentsAmong(context.db, selection);
  return { page, pageSize, ...total, environments: rows.map(environmentToProto) };
}
