import {
  type Caller,
  type Cursor,
  fail,
  formatCursor,
  found,
  type ListParameters,
  parseCursor,
  parseId,
  parseListParameters,
  type WorkspaceId,
} from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { ListWorkspaceEventsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { selectActivitiesAfter } from "../activity/activity-cursor-sql.ts";
import { type ActivityRow, selectActivities } from "../activity/activity-sql.ts";
import { activityToProto } from "../activity/activity-to-proto.ts";
import type { Context } from "../context.ts";
import { selectWorkspaceEvenDeleted } from "./workspace-sql.ts";

/** Lists the log of a workspace, live or deleted: a page of it, or what follows a cursor. */
export async function listWorkspaceEvents(context: Context, caller: Caller, request: ListWorkspaceEventsRequest) {
  const query = parseListParameters(request);
  const cursor = parseLogCursor(request.cursor, query);
  const id = parseId<WorkspaceId>(request.id, Reason.WORKSPACE_NOT_FOUND);
  const workspace = found(await selectWorkspaceEvenDeleted(context.db, id), Reason.WORKSPACE_NOT_FOUND);
  await caller.requireAccess(workspace.organization_id, Reason.WORKSPACE_NOT_FOUND);

  const { rows, hasMore, ...total } = await (cursor === undefined
    ? selectByPage(context, id, query)
    : selectByCursor(context, id, cursor, query));
  const last = hasMore ? rows.at(-1) : undefined;
  const next = last && { nextCursor: formatCursor({ createdAt: last.created_at, id: last.id }) };
  return { page: query.page, pageSize: query.pageSize, ...total, ...next, data: rows.map(activityToProto) };
}

interface Lines {
  readonly totalCount: number;
  readonly totalCountCapped?: true;
  readonly rows: readonly ActivityRow[];
  /** Whether a cursor after the last row finds others. */
  readonly hasMore: boolean;
}

async function selectByPage({ db }: Context, id: WorkspaceId, query: ListParameters): Promise<Lines> {
  const found = await selectActivities(db, id, query);
  const shown = BigInt(query.page) * BigInt(query.pageSize) + BigInt(found.rows.length);
  return { ...found, hasMore: query.search === "" && shown < BigInt(found.totalCount) };
}

async function selectByCursor(
  { db }: Context,
  id: WorkspaceId,
  cursor: Cursor,
  { order: { direction }, pageSize }: ListParameters,
): Promise<Lines> {
  // One more than the page, to know whether there is a next one.
  const { totalCount, rows } = await selectActivitiesAfter(db, id, { cursor, direction, limit: pageSize + 1 });
  return { totalCount, rows: rows.slice(0, pageSize), hasMore: rows.length > pageSize };
}

/** @throws INVALID_PARAMETER for a text that is not a cursor, and for one beside a search or a page */
function parseLogCursor(text: string, { search, page }: ListParameters): Cursor | undefined {
  const cursor = parseCursor(text);
  if (cursor !== undefined && (search !== "" || page !== 0)) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "cursor", accepts: "absent from a request with search or page" });
  }
  return cursor;
}
