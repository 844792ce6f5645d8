import type { Caller, Id } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import type { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Context } from "../context.ts";
import type { ResourceKind } from "../resource-kind.ts";
import type { WorkspaceRow } from "../workspaces/workspace-sql.ts";

/** What differs between the four kinds of link; assigning and removing are the same for all. */
export interface AssignmentKind {
  readonly name: ResourceKind;
  /** The error for an unknown or deleted resource. */
  readonly notFound: Reason;
  /** The error for a resource that is not assigned. */
  readonly notAssigned: Reason;
  /**
   * Runs before the transaction: makes the remote look-ups, for example at the owner of the resource, and applies the
   * rules that need them.
   *
   * @throws `notFound`, or the error of a rule.
   */
  readonly check: (context: Context, resourceId: Id, workspace: WorkspaceRow, caller: Caller) => Promise<void>;
  /**
   * Runs in the transaction, whose lock of the workspace goes before: locks the resource, or the local reference to it, so that it cannot be deleted before `tx`
   * ends; applies the rules for resources that this service owns.
   *
   * @throws `notFound` when it is deleted, or the error of a rule.
   */
  readonly claim: (tx: Tx, resourceId: Id, workspace: WorkspaceRow, caller: Caller) => Promise<void>;
}
