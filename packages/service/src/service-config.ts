import path from "node:path";
import type { ServiceCredential } from "@cloud/access";
import { type Effect, type EventTransport, messagingMigrations } from "@cloud/events";
import type { NatsAccess } from "@cloud/events/nats";
import type { Database, DatabaseOptions, Pooler } from "@cloud/postgres";
import type { MigrationSource, ProgramRights, PurgedTable } from "@cloud/postgres/migrations";
import type { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import type { RpcServerOptions, ServiceTransport, TlsFiles } from "@cloud/rpc";
import type { Readiness } from "@cloud/runtime";
import type { SemaphoreLimits, ServerLimits } from "@cloud/runtime/limits";
import type { Telemetry } from "@cloud/runtime/telemetry";
import type { CommitSignals } from "./commit-signals.ts";
import type { RateLimitConfig } from "./rate-limits.ts";
import type { RecordAuthority } from "./references/owner.ts";
import type { PeriodicJob } from "./references/periodic-jobs.ts";
import type { ReferenceSet } from "./references/reconcile.ts";
import type { ReconcilerTimes } from "./references/start-reconciler.ts";
import type { Retention } from "./retention.ts";

/** The parts that differ between services; everything else is the same. */
export interface ServiceDefinition<Peer extends string = string> {
  /** The schema. Its name is also the CloudEvents source and the prefix of durable names. */
  readonly schema: ServiceSchema;
  readonly services: RpcServerOptions["services"];
  /** The records that other services reference. */
  readonly owned: readonly RecordKind[];
  /** The connections to its peers, by name; closed on stop. */
  readonly peers: Readonly<Record<Peer, ServiceTransport>>;
  /** Whether the replicas signal their commits to each other; `build` receives the signals. */
  readonly signalsCommits?: boolean;
  readonly build: (db: Database, owners: Readonly<Record<Peer, RecordAuthority>>, commits: CommitSignals) => Components;
}

export interface Components {
  /** The handlers, and how callers are authenticated. */
  readonly server: Pick<RpcServerOptions, "routes" | "authenticate" | "organizationIsLive" | "recordRefused">;
  /** The effects that other services' events have here. */
  readonly effects: readonly Effect[];
  /** The references to other services' records that it keeps. */
  readonly references: readonly ReferenceSet[];
  /** Further work that is repeated as often as the reconciler compares references; none if absent. */
  readonly jobs?: readonly PeriodicJob[];
  /** Ends its streams when the program stops, so that their clients reconnect to another replica; none if absent. */
  readonly endStreams?: () => void;
}

/** The schema of a service: what migrations create, and what its program may do with it. */
export interface ServiceSchema extends Pick<ProgramRights, "appendOnly" | "readOnly"> {
  /** The name of the schema and of the source of its migrations. */
  readonly name: string;
  /** The folder of the service's own migrations. */
  readonly migrations: string;
  /** The append-only tables that `LOG_DAYS` purges. */
  readonly logs: readonly PurgedTable[];
}

/** The configuration of every service; each adds the URLs of its peers. */
export interface ServiceConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Connects as the program's role, which has rights on the rows of the service's schema and on nothing else. */
  readonly databaseUrl: string;
  /** The pooler that `databaseUrl` names; absent if it names Postgres itself. */
  readonly pooler?: Pooler | undefined;
  /** Runs before the service serves. */
  readonly migration: MigrationConfig;
  /** Required unless `transport` is given. */
  readonly nats?: NatsAccess;
  readonly natsReplicas: number;
  /** The credential that this service sends to its peers. */
  readonly serviceToken: string;
  /** The credentials that the service accepts from its peers and from the operator. */
  readonly serviceCredentials: readonly ServiceCredential[];
  /** Schedule of the reconciler; defaults if absent. */
  readonly reconciler?: ReconcilerTimes;
  /** `DEFAULT_LIMITS` of `@cloud/runtime/limits` if absent. */
  readonly limits?: ServerLimits;
  /** The origins of pages that may call the RPC port; none if absent. */
  readonly corsOrigins?: readonly string[] | "*" | undefined;
  /** The RPC port speaks TLS with these files; cleartext if absent. */
  readonly tls?: TlsFiles | undefined;
  /** The authorities of peers with an https URL (Node's if absent), and the certificate that they may demand. */
  readonly peerTls?: TlsFiles | undefined;
  /** The limits of searches and deep pages; defaults if absent. */
  readonly heavyReads?: SemaphoreLimits;
  /** The milliseconds that a request may wait for a connection to Postgres and for a statement; defaults if absent. */
  readonly databaseLimits?: Pick<DatabaseOptions, "connectTimeoutMs" | "statementTimeoutMs" | "maxConnections">;
  /** The limits of requests a minute; none if absent. */
  readonly rateLimits?: RateLimitConfig;
  /** The age at which old rows are deleted; defaults if absent. */
  readonly retention?: Retention;
  /** The shortest time in milliseconds between two reports of refused callers; a minute if absent. */
  readonly refusedEveryMs?: number;
  readonly telemetry: Telemetry;
  /** The transport to use instead of NATS. The caller owns and closes it. */
  readonly transport?: EventTransport;
}

/** The migration of a service's schema at the start of its program. */
export interface MigrationConfig {
  /** Whether to migrate. If not, `MIGRATE=only` has done it before, and an older schema is refused. */
  readonly run: boolean;
  /** Connects as the owner of the schema; the program's role if absent. */
  readonly ownerUrl?: string | undefined;
  /** The program's role; the user of `databaseUrl` if absent. */
  readonly role?: string | undefined;
}

export interface RunningService {
  readonly url: string;
  readonly port: number;
  readiness(): Promise<Readiness>;
  /** Reports not ready from now on, but keeps serving, while load balancers may still send new connections. */
  beginDrain(): void;
  /** Finishes calls in flight. */
  stop(): Promise<void>;
}

/** Returns the migrations of a service's schema, in their order. */
export function migrationsOf({ name, migrations }: ServiceSchema): MigrationSource[] {
  return [messagingMigrations, serviceMigrations, { folder: migrations, name }]; // protects: migrations-in-order
}

/** The migrations of the tables for a service's own installation and the installations of its peers. */
const serviceMigrations = {
  folder: path.join(import.meta.dirname, "../migrations"),
  name: "service" as const,
};

/**
 * Returns the rights of the program's role. No program changes which installation its database is; and only triggers
 * change counts.
 */
export function rightsOf({ appendOnly, readOnly }: ServiceSchema, role: string): ProgramRights {
  return { role, appendOnly, readOnly: [...readOnly, "installation", "live_counts"] };
}
