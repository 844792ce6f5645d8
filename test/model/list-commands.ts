import fc from "fast-check";
import { anyListQuery, type ListQuery, pageOf, queryString, refusedQuery } from "./list-query.ts";
import { type Actor, type LinkKind, live, type Model, type Workspace } from "./model.ts";
import { isMember, isProviderAdmin } from "./permissions.ts";
import { environmentBody, teamBody, workspaceBody } from "./records.ts";
import type { Refusal } from "./refusals.ts";
import * as refusals from "./refusals.ts";
import { command, type Expected, firstOf } from "./step.ts";
import { anyActor, anyScope, anyTarget, idOf, organizationOf } from "./targets.ts";
import { visibleWorkspace } from "./workspace-commands.ts";

/** A malformed parameter (any of them may be reported) is checked after the token and before the rest. */
function listed(
  actor: Actor,
  query: ListQuery,
  refusal: Refusal | undefined,
  page: () => unknown,
): readonly Expected[] {
  if (actor === "anonymous") return [{ refusal: refusals.UNAUTHENTICATED }];
  const malformed = refusedQuery(query);
  if (malformed.length > 0) return malformed.map((one) => ({ refusal: one }));
  return [refusal === undefined ? { status: 200, body: page } : { refusal }];
}

type Key = "workspaces" | "environments" | "teams";

/** Returns the page of the records of one or several organizations. */
export function organizationPage(model: Model, key: Key, organizations: readonly string[], query: ListQuery) {
  switch (key) {
    case "workspaces":
      return pageOf(
        key,
        organizations.flatMap((id) => live(model.workspaces, id)),
        query,
        workspaceBody,
      );
    case "environments":
      return pageOf(
        key,
        organizations.flatMap((id) => live(model.environments, id)),
        query,
        environmentBody,
      );
    case "teams":
      return pageOf(
        key,
        organizations.flatMap((id) => live(model.teams, id)),
        query,
        teamBody,
      );
    default:
      return key satisfies never;
  }
}

const path = { workspaces: "/workspaces", environments: "/environments", teams: "/identity/teams" };

const ofOrganization = (key: Key) =>
  command(
    "list " + key,
    fc.record({ actor: anyActor, scope: anyScope, query: anyListQuery }),
    (model, { actor, scope, query }) => {
      const orgId = organizationOf(model, actor, scope);
      const refusal = firstOf(
        orgId === "" && refusals.ORG_ID_REQUIRED,
        !isMember(model, actor, orgId) &&
          (isProviderAdmin(model, actor) ? refusals.ORGANIZATION_NOT_FOUND : refusals.denied("View All Organizations")),
      );
      const expected = listed(actor, query, refusal, () => organizationPage(model, key, [orgId], query));
      // A missing parameter is as malformed as a wrong one.
      const missing = orgId === "" && actor !== "anonymous" ? [{ refusal: refusals.ORG_ID_REQUIRED }] : [];
      return {
        actor,
        method: "GET",
        path: path[key] + queryString(query, { orgId }),
        expected: [...expected, ...missing],
      };
    },
  );

/** Lists all organizations. Only the records of this sequence are compared: the tag finds them. */
const ofAll = (key: Key) =>
  command(
    "list all " + key,
    fc.record({
      actor: anyActor,
      query: anyListQuery,
      all: fc.constantFrom("all", "11111111-1111-1111-1111-111111111111"),
    }),
    (model, { actor, query, all }) => {
      const tagged = { ...query, search: model.tag };
      const refusal = isProviderAdmin(model, actor) ? undefined : refusals.denied("View All Organizations");
      const expected = listed(actor, tagged, refusal, () => organizationPage(model, key, model.organizations, tagged));
      return { actor, method: "GET", path: path[key] + queryString(tagged, { orgId: all }), expected };
    },
  );

/** The spellings of the filter that the contract allows. */
const anyFilter = fc.constantFrom<readonly [boolean, Readonly<Record<string, string>>]>(
  [true, {}],
  [true, { filter: '{"assigned":true}' }],
  [false, { filter: '{"assigned":false}' }],
  [false, { "filter.assigned": "false" }],
  [false, { "filter[assigned]": "false" }],
);

/** Returns a workspace's teams or environments, or the ones in its organization that are not linked to it. */
export function workspacePage(model: Model, workspace: Workspace, kind: LinkKind, assigned: boolean, query: ListQuery) {
  const linked = new Set(
    workspace.links.filter((link) => link.kind === kind && link.endedBy === undefined).map((link) => link.resourceId),
  );
  const { organizationId } = workspace;
  return kind === "team"
    ? pageOf("teams", chosen(live(model.teams, organizationId), linked, assigned), query, teamBody)
    : pageOf(
        "environments",
        chosen(live(model.environments, organizationId), linked, assigned),
        query,
        environmentBody,
      );
}

const chosen = <T extends { id: string }>(items: readonly T[], linked: ReadonlySet<string>, assigned: boolean) =>
  items.filter(({ id }) => linked.has(id) === assigned);

const ofWorkspace = (kind: LinkKind) =>
  command(
    "list " + kind + "s of workspace",
    fc.record({ actor: anyActor, workspace: anyTarget, filter: anyFilter, query: anyListQuery }),
    (model, { actor, workspace, filter: [assigned, filter], query }) => {
      const id = idOf(model, actor, model.workspaces, workspace);
      const found = visibleWorkspace(model, actor, id);
      const expected = listed(
        actor,
        query,
        found ? undefined : refusals.WORKSPACE_NOT_FOUND,
        () => found && workspacePage(model, found, kind, assigned, query),
      );
      return {
        actor,
        method: "GET",
        path: "/workspaces/" + id + "/" + kind + "s" + queryString(query, filter),
        expected,
      };
    },
  );

export const listCommands = [
  ofOrganization("workspaces"),
  ofOrganization("environments"),
  ofOrganization("teams"),
  ofAll("workspaces"),
  ofAll("environments"),
  ...[ofWorkspace("team"), ofWorkspace("team"), ofWorkspace("environment"), ofWorkspace("environment")],
];
