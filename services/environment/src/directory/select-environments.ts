import { type Caller, type EnvironmentId, parseSelectionParameters } from "@cloud/contract";
import {
  type SelectEnvironmentsRequest,
  SelectEnvironmentsResponseSchema,
} from "@cloud/proto/environment/v1/directory_service_pb";
import { pageEncoder } from "@cloud/service";
import type { Context } from "../context.ts";
import { environmentColumns, selectEnvironmentsAmong } from "../environments/environment-sql.ts";

const encode = pageEncoder(SelectEnvironmentsResponseSchema, environmentColumns);

/** Returns a page of the organization's live environments among the ids, or of the others, for a workspace's lists. */
export async function selectEnvironments(context: Context, _caller: Caller, request: SelectEnvironmentsRequest) {
  const selection = parseSelectionParameters<EnvironmentId>(request);
  return encode(selection.query, await selectEnvironmentsAmong(context.db, selection));
}
