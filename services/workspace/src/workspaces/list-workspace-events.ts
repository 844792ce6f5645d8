import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { type ListParameters, parseListParameters } from "@cloud/access/lists";
import { orThrow, parseId, type WorkspaceId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { ListWorkspaceEventsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { cursorAfter, type LogPosition, parseLogPosition, readLog } from "@cloud/service/records";
import { countActivities, workspaceLog } from "../activity/cursor-sql.ts";
import { type ActivityRow, selectActivities } from "../activity/sql.ts";
import type { Context } from "../context.ts";
import { activityToProto } from "../to-proto.ts";
import { selectWorkspaceEvenDeleted } from "./sql.ts";

/** Lists the log of a workspace, live or deleted: a page of it, or the lines after a cursor. */
export async function listWorkspaceEvents(context: Context, caller: Caller, request: ListWorkspaceEventsRequest) {
  const query = parseListParameters(request);
  const position = parseLogPosition(request.cursor, query.order.direction);
  if (request.cursor !== "") assertCursorAlone(query);
  const id = parseId<WorkspaceId>(request.id, Reason.WORKSPACE_NOT_FOUND);
  const workspace = orThrow(await selectWorkspaceEvenDeleted(context.db, id), Reason.WORKSPACE_NOT_FOUND);
  await caller.requireAccess(workspace.organization_id, Reason.WORKSPACE_NOT_FOUND);

  const { rows, nextCursor, ...total } = await (request.cursor === ""
    ? selectByPage(context, id, position, query)
    : selectByCursor(context, id, position, query));
  const next = nextCursor !== "" && { nextCursor };
  return { page: query.page, pageSize: query.pageSize, ...total, ...next, data: rows.map(activityToProto) };
}

interface Lines {
  readonly totalCount: number;
  readonly totalCountCapped?: true;
  readonly rows: readonly ActivityRow[];
  /** The cursor of the next lines; empty if there are none. */
  readonly nextCursor: string;
}

async function selectByPage(
  { db }: Context,
  id: WorkspaceId,
  position: LogPosition,
  query: ListParameters,
): Promise<Lines> {
  const found = await selectActivities(db, id, query);
  const shown = BigInt(query.page) * BigInt(query.pageSize) + BigInt(found.rows.length);
  const last = query.search === "" && shown < BigInt(found.totalCount) ? found.rows.at(-1) : undefined;
  return { ...found, nextCursor: last === undefined ? "" : cursorAfter(position, last) };
}

async function selectByCursor(
  { db }: Context,
  id: WorkspaceId,
  position: LogPosition,
  { pageSize }: ListParameters,
): Promise<Lines> {
  const page = await readLog(db, workspaceLog, id, position, pageSize);
  return { ...page, totalCount: await countActivities(db, id) };
}

/** Refuses a cursor beside a search or a page. @throws INVALID_PARAMETER */
function assertCursorAlone({ search, page }: ListParameters): void {
  if (search !== "" || page !== 0) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "cursor", accepts: "absent from a request with search or page" });
  }
}
