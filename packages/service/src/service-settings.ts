import { SERVICE_CALLER_NAMES } from "@cloud/access";
import { natsAccess, natsSettings } from "@cloud/events/nats";
import { openTlsFiles } from "@cloud/rpc";
import { serverLimitSettings, serverLimits } from "@cloud/runtime/limits";
import {
  corsOrigins,
  credentials,
  host,
  logLevel,
  milliseconds,
  peerTlsPaths,
  peerTlsSettings,
  port,
  replicas,
  secret,
  serverTlsPaths,
  serverTlsSettings,
  type TlsPaths,
  type z,
} from "@cloud/runtime/settings";
import type { Telemetry } from "@cloud/runtime/telemetry";
import { databaseSettings, poolerOf } from "./database.ts";
import { heavyReadLimits, heavyReadSettings } from "./heavy-reads.ts";
import { rateLimitConfig, rateLimitSettings } from "./rate-limits.ts";
import { graceSettings } from "./references/start-reconciler.ts";
import { retentionSettings } from "./retention.ts";
import { migrationSettings } from "./run-service.ts";
import type { ServiceConfig } from "./service-config.ts";

/** The environment variables that every service reads; each adds the URLs of its peers. */
export const serviceSettings = (defaultPort: number) => ({
  HOST: host().describe("the address to listen on"),
  PORT: port(defaultPort).describe("the port for RPC"),
  ...databaseSettings(),
  ...migrationSettings(),
  ...natsSettings(),
  NATS_REPLICAS: replicas().describe("replicas of the stream, when it is created"),
  SERVICE_TOKEN: secret().describe("the credential that the service sends to its peers"),
  SERVICE_CREDENTIALS: credentials(...SERVICE_CALLER_NAMES).describe(
    "the credentials that it accepts, its callers' and the operator's, as `<name>:<secret>` separated by commas. A name may have several, while one is replaced",
  ),
  RECONCILER_INTERVAL_MS: milliseconds(300_000).describe(
    "milliseconds between two comparisons of the links with the owners of their records",
  ),
  ...graceSettings(),
  CORS_ORIGINS: corsOrigins().describe("the origins of pages of others that may call; none without it"),
  ...serverTlsSettings(),
  ...peerTlsSettings(),
  ...serverLimitSettings(),
  ...heavyReadSettings(),
  ...rateLimitSettings(),
  ...retentionSettings(),
  REFUSED_CALLERS_INTERVAL_MS: milliseconds(60_000).describe(
    "the shortest time between two reports of refused callers, in milliseconds",
  ),
  LOG_LEVEL: logLevel().describe("the least level of a line in the log"),
});

type Settings = Readonly<z.output<z.ZodObject<ReturnType<typeof serviceSettings>>>>;

/**
 * Converts the variables to the configuration of a service.
 *
 * @throws ConfigError if some contradict each other, and Error if a file of TLS cannot be used.
 */
export function serviceConfig(settings: Settings, telemetry: Telemetry): ServiceConfig {
  const open = (paths: TlsPaths | undefined) => paths && openTlsFiles(paths, telemetry.log);
  return {
    host: settings.HOST,
    port: settings.PORT,
    databaseUrl: settings.DATABASE_URL,
    pooler: poolerOf(settings),
    migration: {
      run: settings.MIGRATE === "on",
      ownerUrl: settings.MIGRATION_DATABASE_URL,
      role: settings.DATABASE_ROLE,
    },
    nats: natsAccess(settings),
    natsReplicas: settings.NATS_REPLICAS,
    serviceToken: settings.SERVICE_TOKEN,
    serviceCredentials: settings.SERVICE_CREDENTIALS,
    reconciler: { everyMs: settings.RECONCILER_INTERVAL_MS, graceMs: settings.RECONCILER_GRACE_MS },
    limits: serverLimits(settings),
    corsOrigins: settings.CORS_ORIGINS,
    tls: open(serverTlsPaths(settings)),
    peerTls: open(peerTlsPaths(settings)),
    heavyReads: heavyReadLimits(settings),
    retention: settings,
    rateLimits: rateLimitConfig(settings),
    refusedEveryMs: settings.REFUSED_CALLERS_INTERVAL_MS,
    telemetry,
  };
}
