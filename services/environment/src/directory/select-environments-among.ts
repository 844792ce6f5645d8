import { type Caller, parseSelectionParameters } from "@cloud/contract";
import {
  type SelectEnvironmentsAmongRequest,
  SelectEnvironmentsAmongResponseSchema,
} from "@cloud/proto/environment/v1/directory_service_pb";
import { pageEncoder } from "@cloud/service";
import type { Context } from "../context.ts";
import { environmentColumns, selectEnvironmentsAmong as selectPageAmong } from "../environments/environment-sql.ts";

const encode = pageEncoder(SelectEnvironmentsAmongResponseSchema, environmentColumns);

/** Returns a page of the organization's live environments among the ids, or of the others, for a workspace's lists. */
export async function selectEnvironmentsAmong(
  context: Context,
  _caller: Caller,
  request: SelectEnvironmentsAmongRequest,
) {
  const selection = parseSelectionParameters(request);
  return encode(selection.query, await selectPageAmong(context.db, selection));
}
