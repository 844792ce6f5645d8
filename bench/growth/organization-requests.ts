import type { ListParameters } from "@cloud/access/lists";
import type { OrganizationId, WorkspaceId } from "@cloud/access/values";
import { selectWorkspace, selectWorkspacesOf } from "../../services/workspace/src/workspaces/sql.ts";
import { type GrowthRequest, type GrowthSide, requestsOf } from "./growth-request.ts";
import { nameOf } from "./scale.ts";
import type { GrownOrganization } from "./seed/seed-organizations.ts";

export const firstPage: ListParameters = {
  search: "",
  order: { column: "created_at", direction: "desc" },
  page: 0,
  pageSize: 25,
};

/** The size from which on a list has a page 1,000. */
export const WITH_DEEP_PAGE = 25_000;

const SEARCHES = {
  "search, one of 20,000": "zebrafish",
  "search, none": "qqqq",
  "search, all": "workspace",
  "search, one of 8": "quicksilver",
  "search, one of 50": "marmalade",
  "search by 3 characters, one of 50": "mal",
  "search by 2 characters, one of 8": "qu",
  "search by 1 character, one of 8": "q",
  "search by 1 character, none": "~",
};

/** The requests to organizations of several sizes. */
export function organizationRequests(organizations: readonly GrownOrganization[], token: string): GrowthRequest[] {
  const { reading, posting, postingOnce } = requestsOf(token);
  const request = (what: string, of: (organization: GrownOrganization) => Omit<GrowthSide, "name">, status = 200) => ({
    what,
    status,
    sides: organizations.map((organization) => ({ name: nameOf(organization.workspaces), ...of(organization) })),
  });
  const list = (what: string, parameters: string, query: Partial<ListParameters>) =>
    request(what, ({ id }) => ({
      next: reading(`/workspaces?orgId=${id}${parameters}`),
      statement: ({ workspace }) => selectWorkspacesOf(workspace, [id as OrganizationId], { ...firstPage, ...query }),
    }));
  const deep = list("page 1,000", "&page=999", { page: 999 });
  return [
    request("by id", ({ workspaceIds }) => ({
      next: reading(...workspaceIds.map((id) => `/workspaces/${id}`)),
      statement: ({ workspace }) => selectWorkspace(workspace)(workspaceIds[0] as WorkspaceId),
    })),
    request(
      "create",
      ({ id }) => ({
        next: posting("/workspaces", { organizationId: id, name: "Created", description: "By a request" }),
      }),
      201,
    ),
    request("assign team", ({ workspaceIds, teamIds }) => ({
      next: postingOnce(workspaceIds.flatMap((id) => teamIds.map((team) => `/workspaces/${id}/teams/${team}`))),
    })),
    list("first page", "", {}),
    { ...deep, sides: deep.sides.filter((_, index) => (organizations[index]?.workspaces ?? 0) >= WITH_DEEP_PAGE) },
    ...Object.entries(SEARCHES).map(([what, search]) => list(what, `&search=${search}`, { search })),
  ];
}
