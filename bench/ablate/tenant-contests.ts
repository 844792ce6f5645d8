import type { Contest } from "../harness/contestant.ts";
import { type RequestParts, writeRequest } from "../harness/load.ts";
import { pairsOf } from "../path/contests.ts";
import type { Links, Pair } from "../path/links.ts";
import type { Tenant } from "./tenants.ts";

/** The pairs of all tenants, those of one beside those of another. */
export function pairsOfTenants(tenants: readonly Tenant[]): Pair[] {
  return inTurn(tenants.map(pairsOf));
}

/** The six requests of the path, of all users of all tenants in turn: two that follow each other have nothing in common. */
export function tenantContests(tenants: readonly Tenant[], links: Links): Contest[] {
  const users = inTurn(tenants.map(({ tokens }) => tokens));
  const forEachUser = (parts: (tenant: Tenant, index: number) => RequestParts) =>
    users.map((token, index) => {
      const tenant = tenants[index % tenants.length] as Tenant;
      return writeRequest({ ...parts(tenant, Math.floor(index / tenants.length)), token });
    });
  const forEachPair = (method: string) => {
    const pairs = pairsOfTenants(tenants);
    const requests = pairs.map(([workspace, team], index) => {
      const path = `/api/workspaces/${workspace}/teams/${team}`;
      return writeRequest({ method, path, token: users[index % users.length] ?? "" });
    });
    return { requests, most: pairs.length };
  };
  return [
    {
      what: "GET one",
      status: 200,
      requests: forEachUser(({ workspaces }, index) => ({
        method: "GET",
        path: `/api/workspaces/${workspaces[index]}`,
      })),
    },
    {
      what: "list of 25",
      status: 200,
      requests: forEachUser(({ organization }) => ({ method: "GET", path: `/api/workspaces?orgId=${organization}` })),
    },
    {
      what: "environments of a workspace",
      status: 200,
      requests: forEachUser(({ workspaces }, index) => ({
        method: "GET",
        path: `/api/workspaces/${workspaces[index]}/environments`,
      })),
    },
    {
      what: "create",
      status: 201,
      requests: forEachUser(({ organization }) => ({
        method: "POST",
        path: "/api/workspaces",
        body: { organizationId: organization, name: "Created", description: "One of those that the benchmark creates" },
      })),
    },
    {
      what: "assign team",
      status: 200,
      ...forEachPair("POST"),
      before: () => links.deleteAll("workspace"),
    },
    {
      what: "remove team",
      status: 204,
      ...forEachPair("DELETE"),
      before: () => links.insertAll("workspace"),
    },
  ];
}

/** Returns the first of each list, then the second of each, and so on; all have the same length. */
function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  return (lists[0] ?? []).flatMap((_, index) => lists.map((list) => list[index] as T));
}
