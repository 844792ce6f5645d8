import type { Caller } from "@cloud/access";
import { DatabaseUnavailable } from "@cloud/postgres";
import type { Context } from "../context.ts";
import type { ResourceType } from "../resource-type.ts";
import { failedActivity } from "./describe-activity.ts";
import { type Action, insertActivity, type LoggedWorkspace } from "./sql.ts";

/** An operation on a workspace, whose failure is recorded in the workspace's log. */
export interface Operation {
  /** The workspace; undefined if the caller's organizations have no such one, and a failure is then not recorded. */
  readonly workspace: LoggedWorkspace | undefined;
  readonly action: Action;
  readonly kind: ResourceType | "workspace";
  /** The id of the record acted upon. */
  readonly actedUpon: string;
}

/** Runs `work`. A failure is written to the workspace's log, in a transaction of its own, and rethrown. */
export async function recordingFailure<Result>(
  context: Context,
  caller: Caller,
  { workspace, action, kind, actedUpon }: Operation,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    caller.abandon();
    // An unavailable database is not queried again: this caller has waited long enough, and others are waiting.
    if (workspace !== undefined && !(error instanceof DatabaseUnavailable)) {
      const activity = failedActivity(action, workspace, caller.userId, kind, actedUpon, error);
      // The reply is the operation's error, whether or not the event could be written.
      await insertActivity(context.recording, activity).catch((unwritten: unknown) => {
        context.log.error({ err: unwritten, workspaceId: workspace.id }, "error event not written");
      });
    }
    throw error;
  }
}
