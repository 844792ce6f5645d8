import { host, logLevel, milliseconds, natsServers, port, replicas, secret, secretList, url } from "@cloud/config";
import { runProgram } from "@cloud/rpc";
import { startEnvironmentService } from "./service.ts";

await runProgram({
  name: "environment",
  process,
  settings: {
    HOST: host(),
    PORT: port(8082),
    DATABASE_URL: url("postgres", "postgresql"),
    NATS_URL: natsServers(),
    NATS_REPLICAS: replicas(),
    SERVICE_TOKEN: secret(),
    PREVIOUS_SERVICE_TOKENS: secretList(),
    IDENTITY_URL: url("http", "https"),
    RECONCILER_INTERVAL_MS: milliseconds(300_000),
    RECONCILER_GRACE_MS: milliseconds(30_000),
    LOG_LEVEL: logLevel(),
  },
  start: (config, telemetry) =>
    startEnvironmentService({
      host: config.HOST,
      port: config.PORT,
      databaseUrl: config.DATABASE_URL,
      natsUrl: config.NATS_URL,
      natsReplicas: config.NATS_REPLICAS,
      serviceToken: config.SERVICE_TOKEN,
      acceptedServiceTokens: [config.SERVICE_TOKEN, ...config.PREVIOUS_SERVICE_TOKENS],
      identityUrl: config.IDENTITY_URL,
      reconciler: { everyMs: config.RECONCILER_INTERVAL_MS, graceMs: config.RECONCILER_GRACE_MS },
      telemetry,
    }),
});
