import type { Database } from "@cloud/postgres";
import type { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import type { CallContext } from "@cloud/service";
import type { Client } from "@connectrpc/connect";
import type { selectEnvironment } from "./environments/sql.ts";

/** The dependencies that every handler receives besides the caller and the request. */
export interface Context extends CallContext {
  readonly db: Database;
  /** Reads a live environment by its id, outside of transactions; concurrent calls share its statements. */
  readonly selectEnvironment: ReturnType<typeof selectEnvironment>;
  /** Look-ups at identity. They throw UNAVAILABLE if it is unreachable; never call one inside a transaction. */
  readonly identity: Client<typeof IdentityDirectory>;
}
