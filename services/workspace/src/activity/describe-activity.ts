import { codeOf, reasonOf } from "@cloud/rpc";
import { ConnectError } from "@connectrpc/connect";
import type { AssignmentKindName } from "../assignments/assignment-kind.ts";
import type { WorkspaceRow } from "../workspaces/workspace-sql.ts";
import type { Action, Activity } from "./activity-sql.ts";

/** Why a link ended without anybody removing it. */
export type EndReason = "deleted" | "moved";

/** A workspace was created, updated or deleted. */
export function workspaceActivity(
  action: "create" | "update" | "delete",
  workspace: WorkspaceRow,
  owner: string,
): Activity {
  return {
    ...about(workspace, owner),
    action,
    severity: "success",
    description: "The workspace was " + action + "d.",
    actedUpon: workspace.id,
    actedUponKind: "workspace",
    metadata: {},
  };
}

/** Something was assigned to a workspace or removed from it. */
export function linkActivity(
  action: "assign" | "unassign",
  workspace: Pick<WorkspaceRow, "id" | "organization_id">,
  owner: string,
  kind: AssignmentKindName,
  resourceId: string,
  reason?: EndReason,
): Activity {
  return {
    ...about(workspace, owner),
    action,
    severity: "success",
    description: linkSentence(action, kind, reason),
    actedUpon: resourceId,
    actedUponKind: kind,
    metadata: reason === undefined ? {} : { reason },
  };
}

/** An operation on a workspace failed. */
export function failedActivity(
  action: Action,
  workspace: WorkspaceRow,
  owner: string,
  kind: AssignmentKindName | "workspace",
  actedUpon: string,
  error: unknown,
): Activity {
  const text = error instanceof ConnectError ? error.rawMessage : "internal error";
  return {
    ...about(workspace, owner),
    action,
    severity: "error",
    description: "Failed to " + intention(action, kind) + ": " + text,
    actedUpon,
    actedUponKind: kind,
    metadata: { code: codeOf(reasonOf(error)), error: text },
  };
}

function about(workspace: Pick<WorkspaceRow, "id" | "organization_id">, owner: string) {
  return { workspaceId: workspace.id, organizationId: workspace.organization_id, owner };
}

function linkSentence(action: "assign" | "unassign", kind: AssignmentKindName, reason?: EndReason): string {
  switch (reason) {
    case "deleted":
      return "The " + kind + " was removed from the workspace because the " + kind + " was deleted.";
    case "moved":
      return "The " + kind + " was removed from the workspace because it moved to another organization.";
    case undefined:
      return action === "assign"
        ? "The " + kind + " was assigned to the workspace."
        : "The " + kind + " was removed from the workspace.";
    default:
      return reason satisfies never;
  }
}

function intention(action: Action, kind: AssignmentKindName | "workspace"): string {
  switch (action) {
    case "assign":
      return "assign the " + kind + " to the workspace";
    case "unassign":
      return "remove the " + kind + " from the workspace";
    case "create":
    case "update":
    case "delete":
      return action + " the workspace";
    default:
      return action satisfies never;
  }
}
