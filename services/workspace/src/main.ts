import { port, readConfig, secret, secretList, url, z } from "@cloud/config";
import { createTelemetry, describeError } from "@cloud/telemetry";
import { startWorkspaceService } from "./service.ts";

const config = readConfig(
  {
    HOST: z.string().default("0.0.0.0"),
    PORT: port(8081),
    DATABASE_URL: url("postgres", "postgresql"),
    NATS_URL: z.string({ error: "is required" }),
    NATS_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
    SERVICE_TOKEN: secret(),
    PREVIOUS_SERVICE_TOKENS: secretList(),
    IDENTITY_URL: url("http", "https"),
    ENVIRONMENT_URL: url("http", "https"),
    LOG_LEVEL: z.string().default("info"),
  },
  process.env,
);

const telemetry = createTelemetry({ service: "workspace", level: config.LOG_LEVEL });
const service = await startWorkspaceService({
  host: config.HOST,
  port: config.PORT,
  databaseUrl: config.DATABASE_URL,
  natsUrl: config.NATS_URL,
  natsReplicas: config.NATS_REPLICAS,
  serviceToken: config.SERVICE_TOKEN,
  acceptedServiceTokens: [config.SERVICE_TOKEN, ...config.PREVIOUS_SERVICE_TOKENS],
  identityUrl: config.IDENTITY_URL,
  environmentUrl: config.ENVIRONMENT_URL,
  telemetry,
});
telemetry.log.info({ url: service.url }, "serving");

const stop = (signal: NodeJS.Signals) => {
  telemetry.log.info({ signal }, "stopping");
  service.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      telemetry.log.error({ error: describeError(error) }, "stopping failed");
      process.exit(1);
    },
  );
};
process.once("SIGTERM", stop);
process.once("SIGINT", stop);
