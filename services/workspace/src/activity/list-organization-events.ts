import { type Caller, formatCursor, type OrganizationId, parseCursor, parseId, parsePageSize } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { ListOrganizationEventsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Context } from "../context.ts";
import { selectActivitiesOfOrganization } from "./activity-cursor-sql.ts";
import { activityToProto } from "./activity-to-proto.ts";

/** Lists the logs of all workspaces of an organization, live and deleted. */
export async function listOrganizationEvents(context: Context, caller: Caller, request: ListOrganizationEventsRequest) {
  const cursor = parseCursor(request.cursor);
  const pageSize = parsePageSize(request.pageSize);
  const organizationId = parseId<OrganizationId>(request.organizationId, Reason.ORGANIZATION_NOT_FOUND);
  await caller.requireAccess(organizationId, Reason.ORGANIZATION_NOT_FOUND);

  // One more than the page, to know whether there is a next one.
  const rows = await selectActivitiesOfOrganization(context.db, organizationId, cursor, pageSize + 1);
  const page = rows.slice(0, pageSize);
  const last = rows.length > pageSize ? page.at(-1) : undefined;
  const nextCursor = last === undefined ? "" : formatCursor({ createdAt: last.created_at, id: last.id });
  return { events: page.map(activityToProto), nextCursor };
}
