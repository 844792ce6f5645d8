import fc from "fast-check";
import { addLine, lineOf } from "./log.ts";
import { find, type Item, type Link, type LinkKind, type Model, type Workspace } from "./model.ts";
import { holds } from "./permissions.ts";
import * as refusals from "./refusals.ts";
import { type Body, chosenId, chosenTime, command, either, firstOf } from "./step.ts";
import { anyActor, anyTarget, idOf, type Target } from "./targets.ts";
import { visibleWorkspace } from "./workspace-commands.ts";

/** Finds a visible link; one whose resource was deleted is no longer visible. */
const linkTo = (workspace: Workspace | undefined, kind: LinkKind, resourceId: string): Link | undefined =>
  workspace?.links.find((link) => link.kind === kind && link.resourceId === resourceId);

const resourcesOf = (model: Model, kind: LinkKind): readonly Item[] =>
  kind === "team" ? model.teams : model.environments;

const linkBody = (link: Link, workspaceId: string) => ({
  id: link.id,
  workspaceId,
  [link.kind + "Id"]: link.resourceId,
  createdAt: link.createdAt,
  updatedAt: link.createdAt,
  deletedAt: null,
});

const newLink = (received: Body, kind: LinkKind, resourceId: string): Link => ({
  kind,
  resourceId,
  id: chosenId(received?.id),
  createdAt: chosenTime(received?.createdAt),
  endedBy: undefined,
});

/** Returns why the resource cannot be linked to the workspace. */
function refusedLink(model: Model, { organizationId }: Workspace, kind: LinkKind, resourceId: string) {
  const resource = find(resourcesOf(model, kind), resourceId);
  return firstOf(
    resource === undefined && refusals.NOT_FOUND[kind],
    resource?.organizationId !== organizationId && refusals.IN_OTHER_ORGANIZATION[kind],
    kind === "environment" &&
      find(model.environments, resourceId)?.platformProvisioned &&
      refusals.ENVIRONMENT_NOT_ATTACHABLE,
  );
}

const assign = (kind: LinkKind) =>
  command(
    "assign " + kind,
    fc.record({ actor: anyActor, workspace: anyTarget, resource: anyTarget }),
    (model, { actor, workspace, resource }) => {
      const id = idOf(model, actor, model.workspaces, workspace);
      const resourceId = idOf(model, actor, resourcesOf(model, kind), resource);
      const found = visibleWorkspace(model, actor, id);
      const permission = `Assign ${kind} to workspace` as const;
      const refusal = firstOf(
        actor === "anonymous" && refusals.UNAUTHENTICATED,
        !found && refusals.WORKSPACE_NOT_FOUND,
        found && !holds(model, actor, found.organizationId, permission) && refusals.denied(permission),
        found && refusedLink(model, found, kind, resourceId),
      );
      const existing = linkTo(found, kind, resourceId);
      const linked = (received: Body) => existing ?? newLink(received, kind, resourceId);
      return {
        actor,
        method: "POST",
        path: "/workspaces/" + id + "/" + kind + "s/" + resourceId,
        expected: either(refusal, { status: 200, body: (received) => linkBody(linked(received), id) }),
        learn: ({ body }) => {
          if (found === undefined) return;
          if (refusal === undefined && existing === undefined) found.links.push(linked(body));
          addLine(found, lineOf("assign", resourceId, kind, model.people[actor].id, refusal));
        },
      };
    },
  );

/** A target at home is first searched among linked resources, because most pairs are not linked. */
function linkedAt(workspace: Workspace | undefined, kind: LinkKind, { where, index }: Target): string | undefined {
  const links = workspace?.links.filter((link) => link.kind === kind) ?? [];
  return where === "home" ? links[index % links.length]?.resourceId : undefined;
}

const remove = (kind: LinkKind) =>
  command(
    "remove " + kind,
    fc.record({ actor: anyActor, workspace: anyTarget, resource: anyTarget }),
    (model, { actor, workspace, resource }) => {
      const id = idOf(model, actor, model.workspaces, workspace);
      const found = visibleWorkspace(model, actor, id);
      const resourceId = linkedAt(found, kind, resource) ?? idOf(model, actor, resourcesOf(model, kind), resource);
      const link = linkTo(found, kind, resourceId);
      const permission = `Remove ${kind} from workspace` as const;
      const refusal = firstOf(
        actor === "anonymous" && refusals.UNAUTHENTICATED,
        !found && refusals.WORKSPACE_NOT_FOUND,
        found && !holds(model, actor, found.organizationId, permission) && refusals.denied(permission),
        !link && refusals.NOT_ASSIGNED[kind],
      );
      // Until the event of the resource's deletion arrives, its link can be removed.
      const ended = refusal === undefined && link?.endedBy !== undefined ? refusals.NOT_ASSIGNED[kind] : undefined;
      return {
        actor,
        method: "DELETE",
        path: "/workspaces/" + id + "/" + kind + "s/" + resourceId,
        expected: [...either(refusal, { status: 204 }), ...(ended === undefined ? [] : [{ refusal: ended }])],
        learn: ({ status }) => {
          if (found === undefined) return;
          const wasEnded = status === 204 ? undefined : ended;
          if (status === 204 && link !== undefined && model.rules.removalEndsLink)
            found.links.splice(found.links.indexOf(link), 1);
          addLine(found, lineOf("unassign", resourceId, kind, model.people[actor].id, refusal ?? wasEnded));
        },
      };
    },
  );

export const linkCommands = [
  assign("environment"),
  assign("environment"),
  assign("team"),
  assign("team"),
  remove("environment"),
  remove("team"),
];
