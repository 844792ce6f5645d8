import { port, readConfig, url, z } from "@cloud/config";
import { createTelemetry } from "@cloud/telemetry";
import { startGateway } from "./gateway.ts";

const config = readConfig(
  {
    HOST: z.string().default("0.0.0.0"),
    PORT: port(8080),
    WORKSPACE_URL: url("http", "https"),
    ENVIRONMENT_URL: url("http", "https"),
    IDENTITY_URL: url("http", "https"),
    REQUEST_DEADLINE_MS: z.coerce.number().int().min(100).max(60_000).default(10_000),
    LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  },
  process.env,
);
const telemetry = createTelemetry({ service: "gateway", level: config.LOG_LEVEL });
const gateway = await startGateway({
  host: config.HOST,
  port: config.PORT,
  workspaceUrl: config.WORKSPACE_URL,
  environmentUrl: config.ENVIRONMENT_URL,
  identityUrl: config.IDENTITY_URL,
  requestDeadlineMs: config.REQUEST_DEADLINE_MS,
  telemetry,
});
telemetry.log.info({ url: gateway.url }, "gateway started");

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    telemetry.log.info({ signal }, "gateway stopping");
    // Connections to the services may idle on; nobody waits for them.
    gateway.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}
