import { formatCursor } from "@cloud/access/lists";
import type { OrganizationId, WorkspaceId } from "@cloud/access/values";
import { organizationLog, workspaceLog } from "../../services/workspace/src/activity/cursor-sql.ts";
import { selectActivities } from "../../services/workspace/src/activity/sql.ts";
import type { GrowthRequest } from "./growth-request.ts";
import { requestsOf } from "./growth-request.ts";
import { firstPage, WITH_DEEP_PAGE } from "./organization-requests.ts";
import { nameOf } from "./scale.ts";
import type { GrownLog } from "./seed/seed-logs.ts";

/** The requests to logs of several lengths. */
export function logRequests(logs: readonly GrownLog[], token: string): GrowthRequest[] {
  const { reading } = requestsOf(token);
  const request = (what: string, parameters: string, query: object, of = logs) =>
    ({
      what: `log: ${what}`,
      status: 200,
      sides: of.map(({ workspaceId, lines }) => ({
        name: nameOf(lines),
        next: reading(`/workspaces/${workspaceId}/events?${parameters}`),
        statement: ({ workspace }) =>
          selectActivities(workspace, workspaceId as WorkspaceId, { ...firstPage, ...query }),
      })),
    }) satisfies GrowthRequest;
  // The youngest lines are a tenth of a second apart.
  const cursor = { createdAt: new Date(Date.now() - 2_500_000), id: "ffffffff-ffff-ffff-ffff-ffffffffffff" };
  const long = logs.filter(({ lines }) => lines >= WITH_DEEP_PAGE);
  return [
    request("first page", "", {}),
    request("page 1,000", "page=999", { page: 999 }, long),
    {
      what: "log: by cursor, after 25,000 lines",
      status: 200,
      sides: long.map(({ workspaceId, lines }) => ({
        name: nameOf(lines),
        next: reading(`/workspaces/${workspaceId}/events?cursor=${formatCursor(cursor)}`),
        statement: ({ workspace }) => workspaceLog.newestFirst(workspace, workspaceId as WorkspaceId, cursor, 26),
      })),
    },
    {
      what: "log of the organization: by cursor",
      status: 200,
      sides: logs.map(({ organizationId, lines }) => ({
        name: nameOf(lines),
        next: reading(`/organizations/${organizationId}/events`),
        statement: ({ workspace }) =>
          organizationLog.newestFirst(workspace, organizationId as OrganizationId, undefined, 26),
      })),
    },
    request("search, one of 20,000", "search=rare", { search: "rare" }),
    request("search, one of 24", "search=unassigned", { search: "unassigned" }),
    request("search, most", "search=updated", { search: "updated" }),
    request("search, none", "search=qqqq", { search: "qqqq" }),
    request("search by 1 character", "search=u", { search: "u" }),
  ];
}
