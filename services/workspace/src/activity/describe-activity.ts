import { codeOf, reasonOf } from "@cloud/access/errors";
import { ConnectError } from "@connectrpc/connect";
import type { ResourceType } from "../resource-type.ts";
import type { Action, Activity, LoggedWorkspace } from "./sql.ts";

/** The cause of a link's deletion without a request to remove it. */
export type UnlinkReason = "deleted" | "moved";

/** Describes that a workspace was created, updated or deleted. */
export function workspaceActivity(
  action: "create" | "update" | "delete",
  workspace: LoggedWorkspace,
  owner: string,
): Activity {
  return {
    ...about(workspace, owner, "workspace", workspace.id),
    action,
    severity: "success",
    description: "The workspace was " + action + "d.",
  };
}

/** Describes that a resource was assigned to a workspace or removed from it. */
export function linkActivity(
  action: "assign" | "unassign",
  workspace: LoggedWorkspace,
  owner: string,
  kind: ResourceType,
  resourceId: string,
  reason?: UnlinkReason,
): Activity {
  return {
    ...about(workspace, owner, kind, resourceId),
    action,
    severity: "success",
    description: linkSentence(action, kind, reason),
    ...(reason !== undefined && { metadata: { reason } }),
  };
}

/** Describes that a link was deleted because its resource counted as deleted here, although the resource is live. */
export function lostLinkActivity(workspace: LoggedWorkspace, kind: ResourceType, resourceId: string): Activity {
  return {
    ...about(workspace, "", kind, resourceId),
    action: "unassign",
    severity: "error",
    description: "The " + kind + " was not deleted: its link to the workspace was lost and has to be made again.",
    metadata: { reason: "restored" },
  };
}

/** Describes that a workspace was restored, which had been deleted with its organization although that is live. */
export function restoredWorkspaceActivity(workspace: LoggedWorkspace): Activity {
  return {
    ...about(workspace, "", "workspace", workspace.id),
    action: "update",
    severity: "error",
    description: "The workspace is back because its organization was not deleted: its links have to be made again.",
    metadata: { reason: "restored" },
  };
}

/** Describes that an operation on a workspace failed: with the API's error, or as an internal error. */
export function failedActivity(
  action: Action,
  workspace: LoggedWorkspace,
  owner: string,
  kind: Kind,
  actedUpon: string,
  error: unknown,
): Activity {
  const text = error instanceof ConnectError ? error.rawMessage : "internal error";
  return {
    ...about(workspace, owner, kind, actedUpon),
    action,
    severity: "error",
    description: "Failed to " + intention(action, kind) + ": " + text,
    metadata: { code: codeOf(reasonOf(error)), error: text },
  };
}

type Kind = ResourceType | "workspace";

/** Returns the fields of a line that name its workspace, who acted, and the record acted upon. */
function about(workspace: LoggedWorkspace, owner: string, kind: Kind, actedUpon: string) {
  const { id: workspaceId, organization_id: organizationId } = workspace;
  return { workspaceId, organizationId, owner, actedUpon, actedUponKind: kind, metadata: {} };
}

function linkSentence(action: "assign" | "unassign", kind: ResourceType, reason?: UnlinkReason): string {
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

function intention(action: Action, kind: Kind): string {
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
