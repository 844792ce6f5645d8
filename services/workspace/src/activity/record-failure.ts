import { DatabaseUnavailable } from "@cloud/postgres";
import type { Caller } from "@cloud/rpc";
import { describeError } from "@cloud/telemetry";
import type { AssignmentKindName } from "../assignments/assignment-kind.ts";
import type { Context } from "../context.ts";
import type { WorkspaceRow } from "../workspaces/workspace-sql.ts";
import { type Action, insertActivity } from "./activity-sql.ts";
import { failedActivity } from "./describe-activity.ts";

/** An operation on a workspace that is to leave an error event when it fails. */
export interface Operation {
  /** Undefined when there is no such workspace for the caller: then there is no log either. */
  readonly workspace: WorkspaceRow | undefined;
  readonly action: Action;
  readonly kind: AssignmentKindName | "workspace";
  /** The id of what is acted upon. */
  readonly actedUpon: string;
}

/** Runs the work; a failure is written to the workspace's log, in a transaction of its own, and thrown on. */
export async function recordingFailure<Result>(
  { db, log }: Context,
  caller: Caller,
  { workspace, action, kind, actedUpon }: Operation,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // A database that did not answer is not asked again: its caller has waited long enough, and others are waiting.
    if (workspace !== undefined && !(error instanceof DatabaseUnavailable)) {
      const activity = failedActivity(action, workspace, caller.userId, kind, actedUpon, error);
      // The answer is the operation's error, whether or not it could be written down.
      await insertActivity(db, activity).catch((unwritten: unknown) => {
        log.error({ error: describeError(unwritten), workspaceId: workspace.id }, "error event not written");
      });
    }
    throw error;
  }
}
