import type { Database } from "@cloud/postgres";
import type { DirectoryService as WorkspaceDirectory } from "@cloud/proto/workspace/v1/directory_service_pb";
import type { CallContext } from "@cloud/service";
import type { Client } from "@connectrpc/connect";

/** The dependencies that every handler receives besides the caller and the request. */
export interface Context extends CallContext {
  readonly db: Database;
  /**
   * Look-ups at the workspace service. They throw UNAVAILABLE if it is unreachable; never call one inside a
   * transaction.
   */
  readonly workspace: Client<typeof WorkspaceDirectory>;
  /** The most pending invitations of one organization. */
  readonly maxPendingInvitations: number;
}
