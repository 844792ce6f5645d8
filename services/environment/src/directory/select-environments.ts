import { type Caller, packIds, parseSelectionParameters } from "@cloud/contract";
import {
  type SelectEnvironmentsRequest,
  SelectEnvironmentsResponseSchema,
} from "@cloud/proto/environment/v1/directory_service_pb";
import { pageEncoder } from "@cloud/service";
import type { Context } from "../context.ts";
import { environmentColumns, selectEnvironmentsAmong } from "../environments/environment-sql.ts";

const encode = pageEncoder(SelectEnvironmentsResponseSchema, environmentColumns);

/** Does the same as `selectEnvironmentsAmong`, for a workspace service of the release before. */
export async function selectEnvironments(context: Context, _caller: Caller, request: SelectEnvironmentsRequest) {
  const selection = parseSelectionParameters({ ...request, ids: packIds(request.ids) });
  return encode(selection.query, await selectEnvironmentsAmong(context.db, selection));
}
