import type { Database } from "@cloud/postgres";
import type { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import type { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import type { Semaphore } from "@cloud/runtime/limits";
import type { Logger } from "@cloud/runtime/telemetry";
import type { CallContext } from "@cloud/service";
import type { Client } from "@connectrpc/connect";
import type { PeerPages } from "./links/linked-page.ts";
import type { selectLinkedWorkspace } from "./links/linked-workspace-sql.ts";
import type { peerRecords } from "./links/peer-records.ts";
import type { WatchHub } from "./watches/watch-hub.ts";
import type { selectWorkspace } from "./workspaces/sql.ts";

/** The dependencies of a handler besides the caller and the request. */
export interface Context extends CallContext {
  readonly db: Database;
  /** Reads a live workspace by its id, outside of transactions; concurrent calls share its statements. */
  readonly selectWorkspace: ReturnType<typeof selectWorkspace>;
  readonly selectLinkedWorkspace: ReturnType<typeof selectLinkedWorkspace>;
  /**
   * Look-ups at the peers. They throw UNAVAILABLE if the peer is unreachable; never call one inside a transaction.
   */
  readonly identity: Client<typeof IdentityDirectory>;
  readonly environment: Client<typeof EnvironmentDirectory>;
  /** Look-ups of single records at the peers, which concurrent calls share. */
  readonly peerRecords: ReturnType<typeof peerRecords>;
  /** The peers' pages for the lists of a workspace. */
  readonly pages: PeerPages;
  readonly log: Logger;
}

/** The dependencies of a handler of streams: watches and exports. */
export interface StreamingContext extends Context {
  readonly watches: WatchHub;
  readonly exportPlaces: Semaphore;
}
