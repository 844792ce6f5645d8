import type { Database } from "@cloud/postgres";
import type { DirectoryService } from "@cloud/proto/workspace/v1/directory_service_pb";
import type { Client } from "@connectrpc/connect";

/** What handlers need besides the request and the caller. */
export interface IdentityContext {
  readonly db: Database;
  /** Look-ups of the workspace service, with our service credential and a deadline. */
  readonly workspaces: Client<typeof DirectoryService>;
}
