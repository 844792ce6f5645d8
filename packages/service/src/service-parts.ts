import type { Effect } from "@cloud/messaging";
import type { Database } from "@cloud/postgres";
import type { RpcServerOptions, ServiceTransport } from "@cloud/rpc";
import type { CommitSignals } from "./commit-signals.ts";
import type { Owner } from "./owners/owner.ts";
import type { LocalLinks } from "./reconciler/local-links.ts";
import type { Pass } from "./reconciler/passes.ts";
import type { ReferenceKind } from "./reconciler/reconcile.ts";
import type { OwnedRecords } from "./records/record-states-sql.ts";
import type { ServiceSchema } from "./service-schema.ts";

/** The parts that differ between services; everything else is the same. */
export interface ServiceParts<Peer extends string = string> {
  /** Its name is also that of the source of its events, and of its durable consumers. */
  readonly schema: ServiceSchema;
  readonly services: RpcServerOptions["services"];
  /** The records that other services reference. */
  readonly owned: OwnedRecords;
  /** The connections to its peers, by name; closed on stop. */
  readonly peers: Readonly<Record<Peer, ServiceTransport>>;
  /** Whether its replicas signal their commits to each other, as `wire` receives them. */
  readonly signalsCommits?: boolean;
  readonly wire: (db: Database, owners: Readonly<Record<Peer, Owner>>, commits: CommitSignals) => Wiring;
}

export interface Wiring {
  /** The handlers, and how callers are authenticated. */
  readonly server: Pick<RpcServerOptions, "routes" | "authenticate" | "organizationIsLive" | "recordRefused">;
  /** Its effects of other services' events. */
  readonly effects: readonly Effect[];
  /** The references to other services' records that it keeps. */
  readonly kinds: readonly ReferenceKind[];
  readonly localLinks: readonly LocalLinks[];
  /** Further work that is repeated as often as the reconciler compares references; none if absent. */
  readonly passes?: readonly Pass[];
  /** Ends its streams when the program stops, so that their clients reconnect to another replica; none if absent. */
  readonly endStreams?: () => void;
}
