import type { Caller } from "@cloud/access";
import { parseListParameters } from "@cloud/access/lists";
import type { ListOrganizationEventsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { parseLogPosition, readLog } from "@cloud/service/records";
import { requireNamedOrganization } from "@cloud/service/references";
import type { Context } from "../context.ts";
import { activityToProto } from "../to-proto.ts";
import { organizationLog } from "./cursor-sql.ts";

/** Lists the logs of all workspaces of an organization, live and deleted. */
export async function listOrganizationEvents(context: Context, caller: Caller, request: ListOrganizationEventsRequest) {
  const { order, pageSize } = parseListParameters({ ...request, search: "", page: 0n });
  const position = parseLogPosition(request.cursor, order.direction);
  const id = await requireNamedOrganization(caller, request.organizationId);

  const { rows, nextCursor } = await readLog(context.db, organizationLog, id, position, pageSize);
  return { events: rows.map(activityToProto), nextCursor };
}
