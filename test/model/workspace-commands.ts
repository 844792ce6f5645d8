import fc from "fast-check";
import { addLine, lineOf } from "./log.ts";
import { find, live, type Model, type Workspace } from "./model.ts";
import { holds, isMember } from "./permissions.ts";
import { changed, newItem, workspaceBody } from "./records.ts";
import * as refusals from "./refusals.ts";
import { refusedCreation } from "./refused-creation.ts";
import { command, either, firstOf } from "./step.ts";
import { anyActor, anyScope, anyTarget, anyText, idOf, isTooLong, organizationOf, tagged } from "./targets.ts";

/** Returns the workspace of that id, if it is visible to the actor. */
export function visibleWorkspace(model: Model, actor: keyof Model["people"], id: string): Workspace | undefined {
  const workspace = find(model.workspaces, id);
  return workspace !== undefined && isMember(model, actor, workspace.organizationId) ? workspace : undefined;
}

const create = command(
  "create workspace",
  fc.record({ actor: anyActor, scope: anyScope, name: anyText, description: anyText }),
  (model, { actor, scope, ...texts }) => {
    const organizationId = organizationOf(model, actor, scope);
    const body = { name: tagged(model, texts.name), description: tagged(model, texts.description) };
    const owner = model.people[actor].id;
    const made = (received: unknown): Workspace => ({
      ...newItem(received, organizationId, body),
      owner,
      links: [],
      log: [],
    });
    const refusal = firstOf(
      refusedCreation(model, actor, organizationId, "Create Workspace"),
      isTooLong(...Object.values(texts)) && refusals.WORKSPACE_CREATE_FAILED,
    );
    return {
      actor,
      method: "POST",
      path: "/workspaces",
      body: { ...(scope === "missing" ? {} : { organizationId }), ...body },
      expected: either(refusal, { status: 201, body: (received) => workspaceBody(made(received)) }),
      learn: (response) => {
        if (refusal !== undefined) return;
        const workspace = made(response.body);
        model.workspaces.push(workspace);
        addLine(workspace, lineOf("create", workspace.id, "workspace", owner));
      },
    };
  },
);

const get = command(
  "get workspace",
  fc.record({ actor: anyActor, workspace: anyTarget }),
  (model, { actor, workspace }) => {
    const id = idOf(model, actor, model.workspaces, workspace);
    const found = visibleWorkspace(model, actor, id);
    const refusal = firstOf(actor === "anonymous" && refusals.UNAUTHENTICATED, !found && refusals.WORKSPACE_NOT_FOUND);
    const expected = either(refusal, { status: 200, body: () => found && workspaceBody(found) });
    return { actor, method: "GET", path: "/workspaces/" + id, expected };
  },
);

/** No changeable fields, in the three forms of the contract, and each field alone or with the other. */
const anyUpdate = fc.oneof(
  fc.record({ name: anyText }),
  fc.record({ description: anyText }),
  fc.record({ name: anyText, description: anyText }),
  fc.constantFrom("no body", "null", "{}", "organizationId").map((nothing) => ({ nothing })),
);

/** Bodies without changeable fields. */
const NOTHING: Readonly<Record<string, unknown>> = { null: null, "{}": {}, organizationId: { organizationId: "" } };

const update = command(
  "update workspace",
  fc.record({ actor: anyActor, workspace: anyTarget, change: anyUpdate }),
  (model, { actor, workspace, change }) => {
    const id = idOf(model, actor, model.workspaces, workspace);
    const found = visibleWorkspace(model, actor, id);
    const sent: Readonly<Record<string, string>> = "nothing" in change ? {} : change;
    const texts = Object.fromEntries(Object.entries(sent).map(([field, text]) => [field, tagged(model, text)]));
    const refusal = firstOf(
      actor === "anonymous" && refusals.UNAUTHENTICATED,
      "nothing" in change && refusals.WORKSPACE_UPDATE_EMPTY,
      !found && refusals.WORKSPACE_NOT_FOUND,
      found && !holds(model, actor, found.organizationId, "Edit Workspace") && refusals.denied("Edit Workspace"),
      isTooLong(...Object.values(sent)) && refusals.WORKSPACE_UPDATE_FAILED,
    );
    return {
      actor,
      method: "PUT",
      path: "/workspaces/" + id,
      body: "nothing" in change ? NOTHING[change.nothing] : texts,
      expected: either(refusal, {
        status: 200,
        body: (received) => found && workspaceBody(changed(found, received, texts)),
      }),
      learn: ({ body }) => {
        if (found === undefined) return;
        if (refusal === undefined) Object.assign(found, changed(found, body, texts));
        addLine(found, lineOf("update", id, "workspace", model.people[actor].id, refusal));
      },
    };
  },
);

const remove = command(
  "delete workspace",
  fc.record({ actor: anyActor, workspace: anyTarget }),
  (model, { actor, workspace }) => {
    const id = idOf(model, actor, model.workspaces, workspace);
    const found = visibleWorkspace(model, actor, id);
    const refusal = firstOf(
      actor === "anonymous" && refusals.UNAUTHENTICATED,
      !found && refusals.WORKSPACE_NOT_FOUND,
      found && !holds(model, actor, found.organizationId, "Delete Workspace") && refusals.denied("Delete Workspace"),
      found &&
        model.rules.keepsLastWorkspace &&
        live(model.workspaces, found.organizationId).length === 1 &&
        refusals.LAST_WORKSPACE,
    );
    return {
      actor,
      method: "DELETE",
      path: "/workspaces/" + id,
      expected: either(refusal, { status: 204 }),
      learn: () => {
        if (found === undefined) return;
        if (refusal === undefined) deleteWorkspace(found);
        addLine(found, lineOf("delete", id, "workspace", model.people[actor].id, refusal));
      },
    };
  },
);

function deleteWorkspace(workspace: Workspace): void {
  workspace.deleted = true;
  for (const { kind, resourceId, endedBy } of workspace.links.splice(0)) {
    if (endedBy === undefined) continue;
    // The event may have arrived before.
    const line = lineOf("unassign", resourceId, kind, endedBy);
    addLine(workspace, { ...line, metadata: { reason: "deleted" }, comes: "perhaps" });
  }
}

export const workspaceCommands = [create, create, get, update, update, remove];
