import { fail } from "@cloud/access/errors";
import type { OrganizationId, WorkspaceId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";

/** A workspace and its organization. */
export interface SelectedWorkspace {
  readonly id: WorkspaceId;
  readonly organizationId: OrganizationId;
}

/** The selection of a user; null means none. */
export interface Selection {
  readonly organizationId: OrganizationId | null;
  readonly workspace: SelectedWorkspace | null;
}

/** A requested change: undefined keeps the stored value, null clears it. */
export interface SelectionChange {
  readonly organizationId: OrganizationId | null | undefined;
  readonly workspace: SelectedWorkspace | null | undefined;
}

/**
 * Applies a change. A selected workspace belongs to the selected organization, if there is one: a stored workspace of
 * another organization is dropped, a requested one refused.
 *
 * @throws WORKSPACE_NOT_FOUND.
 */
export function changeSelection(stored: Selection, change: SelectionChange): Selection {
  const organizationId = change.organizationId === undefined ? stored.organizationId : change.organizationId;
  const workspace = change.workspace === undefined ? stored.workspace : change.workspace;
  if (workspace === null || organizationId === null || workspace.organizationId === organizationId) {
    return { organizationId, workspace };
  }
  if (change.workspace !== undefined) {
    throw fail(Reason.WORKSPACE_NOT_FOUND);
  }
  return { organizationId, workspace: null };
}
