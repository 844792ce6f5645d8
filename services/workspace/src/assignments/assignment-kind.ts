import type { Tx } from "@cloud/postgres";
import type { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Caller, Id } from "@cloud/rpc";
import type { Context } from "../context.ts";
import type { WorkspaceRow } from "../workspaces/workspace-sql.ts";

export type AssignmentKindName = "team" | "environment" | "design" | "view";

/** What differs between the four kinds of link; assigning and removing are the same for all. */
export interface AssignmentKind {
  readonly name: AssignmentKindName;
  readonly assignPermission: Permission;
  readonly removePermission: Permission;
  /** No such resource. */
  readonly notFound: Reason;
  /** The resource was not assigned. */
  readonly notAssigned: Reason;
  /**
   * Before the transaction: asks the owner of the resource, where that is another service, and applies the rules.
   *
   * @throws `notFound`, or what the rules refuse.
   */
  readonly check: (context: Context, resourceId: Id, workspace: WorkspaceRow) => Promise<void>;
  /**
   * In the transaction: locks the resource, or the local reference of it, so that it cannot be deleted before the end
   * of `tx`; applies the rules of resources that are owned here.
   *
   * @throws `notFound` when it is gone, or what the rules refuse.
   */
  readonly claim: (tx: Tx, resourceId: Id, workspace: WorkspaceRow, caller: Caller) => Promise<void>;
}
