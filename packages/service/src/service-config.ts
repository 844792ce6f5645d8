import type { ServiceCredential } from "@cloud/contract";
import type { EventTransport, NatsAccess } from "@cloud/messaging";
import type { DatabaseOptions, Pooler } from "@cloud/postgres";
import type { Readiness, SemaphoreLimits, ServerLimits } from "@cloud/program";
import type { TlsFiles } from "@cloud/rpc";
import type { Telemetry } from "@cloud/telemetry";
import type { RateLimitConfig } from "./rate-limits.ts";
import type { ReconcilerTimes } from "./reconciler/start-reconciler.ts";
import type { RetentionConfig } from "./retention.ts";

/** How a service's schema is brought up to date. */
export interface MigrationConfig {
  /** False: it was done before, by `MIGRATE=only`; an older schema is refused. */
  readonly run: boolean;
  /** Connects as the owner of the schema; the program's role if absent. */
  readonly ownerUrl?: string | undefined;
  /** The program's role; the user of `databaseUrl` if absent. */
  readonly role?: string | undefined;
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
  /** Before it serves. */
  readonly migration: MigrationConfig;
  /** Required unless `transport` is given. */
  readonly nats?: NatsAccess;
  readonly natsReplicas: number;
  /** The credential that this service sends to its peers. */
  readonly serviceToken: string;
  /** The credentials that it accepts from them and from the operator. */
  readonly serviceCredentials: readonly ServiceCredential[];
  /** Schedule of the reconciler; defaults if absent. */
  readonly reconciler?: ReconcilerTimes;
  /** The defaults of `@cloud/program` if absent. */
  readonly limits?: ServerLimits;
  /** Of pages that may call the RPC port; none if absent. */
  readonly corsOrigins?: readonly string[] | "*" | undefined;
  /** The RPC port speaks TLS with these files; cleartext if absent. */
  readonly tls?: TlsFiles | undefined;
  /** Verifies peers with an https URL, and has the certificate that they may demand; Node's authorities if absent. */
  readonly peerTls?: TlsFiles | undefined;
  /** Of searches and deep pages; defaults if absent. */
  readonly heavyReads?: SemaphoreLimits;
  /** How long a request may wait for a connection to Postgres and for a statement; defaults if absent. */
  readonly databaseLimits?: Pick<DatabaseOptions, "connectTimeoutMs" | "statementTimeoutMs" | "maxConnections">;
  /** No limits if absent. */
  readonly rateLimits?: RateLimitConfig;
  /** Defaults if absent. */
  readonly retention?: RetentionConfig;
  /** The shortest time in milliseconds between two reports of refused callers; a minute if absent. */
  readonly refusedEveryMs?: number;
  readonly telemetry: Telemetry;
  /** Used instead of NATS. The caller owns and closes it. */
  readonly transport?: EventTransport;
}

export interface RunningService {
  readonly url: string;
  readonly port: number;
  readiness(): Promise<Readiness>;
  /** Reports not ready from now on, but keeps serving, while load balancers may still send new connections. */
  leave(): void;
  /** Finishes calls in flight. */
  stop(): Promise<void>;
}
