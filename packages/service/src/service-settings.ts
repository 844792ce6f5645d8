import {
  credentials,
  host,
  logLevel,
  milliseconds,
  peerTlsPaths,
  peerTlsSettings,
  port,
  postgresUrl,
  replicas,
  secret,
  serverTlsPaths,
  serverTlsSettings,
  type TlsPaths,
  type z,
} from "@cloud/config";
import { SERVICE_CALLER_NAMES } from "@cloud/contract";
import { natsAccess, natsSettings } from "@cloud/messaging";
import { serverLimitSettings, serverLimits } from "@cloud/program";
import { openTlsFiles } from "@cloud/rpc";
import type { Telemetry } from "@cloud/telemetry";
import { heavyReadLimits, heavyReadSettings } from "./heavy-reads/heavy-read-settings.ts";
import { migrationSettings } from "./migration-settings.ts";
import { rateLimitConfig, rateLimitSettings } from "./rate-limits/rate-limit-settings.ts";
import { retentionConfig, retentionSettings } from "./retention/retention-settings.ts";
import type { ServiceConfig } from "./service-config.ts";

/** The environment variables that every service reads; each adds the URLs of its peers. */
export const serviceSettings = (defaultPort: number) => ({
  HOST: host(),
  PORT: port(defaultPort),
  DATABASE_URL: postgresUrl(),
  ...migrationSettings(),
  ...natsSettings(),
  NATS_REPLICAS: replicas(),
  SERVICE_TOKEN: secret(),
  SERVICE_CREDENTIALS: credentials(...SERVICE_CALLER_NAMES),
  RECONCILER_INTERVAL_MS: milliseconds(300_000),
  RECONCILER_GRACE_MS: milliseconds(30_000),
  ...serverTlsSettings(),
  ...peerTlsSettings(),
  ...serverLimitSettings(),
  ...heavyReadSettings(),
  ...rateLimitSettings(),
  ...retentionSettings(),
  REFUSED_CALLERS_INTERVAL_MS: milliseconds(60_000),
  LOG_LEVEL: logLevel(),
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
    tls: open(serverTlsPaths(settings)),
    peerTls: open(peerTlsPaths(settings)),
    heavyReads: heavyReadLimits(settings),
    retention: retentionConfig(settings),
    rateLimits: rateLimitConfig(settings),
    refusedEveryMs: settings.REFUSED_CALLERS_INTERVAL_MS,
    telemetry,
  };
}
