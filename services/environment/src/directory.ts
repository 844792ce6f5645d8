import type { Caller } from "@cloud/access";
import { packIds, parseSelectionParameters } from "@cloud/access/lists";
import { type EnvironmentId, isId, parseIds } from "@cloud/access/values";
import {
  type BatchGetEnvironmentsRequest,
  type ListConnectionEnvironmentsRequest,
  type SelectEnvironmentsAmongRequest,
  SelectEnvironmentsAmongResponseSchema,
  type SelectEnvironmentsRequest,
  SelectEnvironmentsResponseSchema,
} from "@cloud/proto/environment/v1/directory_service_pb";
import { pageEncoder } from "@cloud/service/records";
import type { Context } from "./context.ts";
import { environmentColumns, selectEnvironmentPageAmong, selectEnvironmentRows } from "./environments/sql.ts";
import type { ConnectionId } from "./ids.ts";
import { selectEnvironmentIdsOfConnection } from "./links/sql.ts";
import { environmentToProto } from "./to-proto.ts";

// The handlers of DirectoryService, by which other services look up environments.

/** Returns the live environments among the ids; omits all others. @throws INVALID_PARAMETER above 1,000 ids. */
export async function batchGetEnvironments(context: Context, _caller: Caller, request: BatchGetEnvironmentsRequest) {
  const rows = await selectEnvironmentRows(context.db, parseIds<EnvironmentId>(request.ids));
  return { environments: rows.map(environmentToProto) };
}

const encodeTexts = pageEncoder(SelectEnvironmentsResponseSchema, environmentColumns);

/** Returns the page of `selectEnvironmentsAmong` to a workspace service of the release before. */
export async function selectEnvironments(context: Context, _caller: Caller, request: SelectEnvironmentsRequest) {
  const selection = parseSelectionParameters({ ...request, ids: packIds(request.ids) });
  return encodeTexts(selection.query, await selectEnvironmentPageAmong(context.db, selection));
}

const encode = pageEncoder(SelectEnvironmentsAmongResponseSchema, environmentColumns);

/** Returns a page of the organization's live environments among the ids, or of the others, for a workspace's lists. */
export async function selectEnvironmentsAmong(
  context: Context,
  _caller: Caller,
  request: SelectEnvironmentsAmongRequest,
) {
  const selection = parseSelectionParameters(request);
  return encode(selection.query, await selectEnvironmentPageAmong(context.db, selection));
}

/** Returns the ids of a connection's live environments; an unknown, deleted or malformed id yields an empty list. */
export async function listConnectionEnvironments(
  context: Context,
  _caller: Caller,
  request: ListConnectionEnvironmentsRequest,
) {
  if (!isId(request.connectionId)) {
    return { environmentIds: [] };
  }
  return { environmentIds: await selectEnvironmentIdsOfConnection(context.db, request.connectionId as ConnectionId) };
}
