import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail, type OrganizationId, type WorkspaceId } from "@cloud/rpc";

/** A workspace and where it lies. */
export interface SelectedWorkspace {
  readonly id: WorkspaceId;
  readonly organizationId: OrganizationId;
}

/** What a user has selected; null is nothing. */
export interface Selection {
  readonly organization: OrganizationId | null;
  readonly workspace: SelectedWorkspace | null;
}

/** What a request asks for; undefined leaves as it is, null clears. */
export interface SelectionChange {
  readonly organization: OrganizationId | null | undefined;
  readonly workspace: SelectedWorkspace | null | undefined;
}

/**
 * A selected workspace lies in the selected organization, where there is one. A workspace that is asked for must; one
 * that was selected before is dropped when the organization changes to another.
 *
 * @throws WORKSPACE_NOT_FOUND.
 */
export function changeSelection(stored: Selection, change: SelectionChange): Selection {
  const organization = change.organization === undefined ? stored.organization : change.organization;
  const workspace = change.workspace === undefined ? stored.workspace : change.workspace;
  if (workspace === null || organization === null || workspace.organizationId === organization) {
    return { organization, workspace };
  }
  if (change.workspace !== undefined) {
    throw fail(Reason.WORKSPACE_NOT_FOUND);
  }
  return { organization, workspace: null };
}
