import { host, logLevel, port, url, z } from "@cloud/config";
import { runProgram } from "@cloud/rpc";
import { startGateway } from "./gateway.ts";

await runProgram({
  name: "gateway",
  process,
  settings: {
    HOST: host(),
    PORT: port(8080),
    WORKSPACE_URL: url("http", "https"),
    ENVIRONMENT_URL: url("http", "https"),
    IDENTITY_URL: url("http", "https"),
    REQUEST_DEADLINE_MS: z.coerce.number().int().min(100).max(30_000).default(10_000),
    LOG_LEVEL: logLevel(),
  },
  start: (config, telemetry) =>
    startGateway({
      host: config.HOST,
      port: config.PORT,
      workspaceUrl: config.WORKSPACE_URL,
      environmentUrl: config.ENVIRONMENT_URL,
      identityUrl: config.IDENTITY_URL,
      requestDeadlineMs: config.REQUEST_DEADLINE_MS,
      telemetry,
    }),
});
