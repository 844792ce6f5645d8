import { fail, isId, type WorkspaceId } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { LinkChanges, WorkspaceLinks as Message } from "@cloud/proto/cloud/api/v1/workspace_links_pb";

/** Which links a workspace has, by the service that owns them. */
export interface LinkState {
  readonly workspaceId: WorkspaceId;
  readonly count: bigint;
  /** A number in decimal. */
  readonly hash: string;
  readonly position: string;
}

export interface WorkspaceLinks extends LinkState {
  readonly changes: LinkChanges | undefined;
}

/** @throws INVALID_PARAMETER */
export function parseWorkspaceLinks(links: Message | undefined): WorkspaceLinks {
  if (links === undefined || !isId(links.workspaceId) || !/^\d{1,40}$/.test(links.hash)) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "links", accepts: "the links of a workspace" });
  }
  const { count, hash, position, changes } = links;
  if (changes !== undefined && [changes.linked, changes.unlinked].some((ids) => ids.length % BYTES_OF_ID !== 0)) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "links.changes", accepts: "ids of 16 bytes each" });
  }
  return { workspaceId: links.workspaceId as WorkspaceId, count, hash, position, changes };
}

export const BYTES_OF_ID = 16;
