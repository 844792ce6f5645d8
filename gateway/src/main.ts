import { openTlsFiles } from "@cloud/rpc";
import { runProgram } from "@cloud/runtime";
import { serverLimits } from "@cloud/runtime/limits";
import { peerTlsPaths } from "@cloud/runtime/settings";
import { settings, startGateway } from "./gateway.ts";

await runProgram({
  name: "gateway",
  process,
  settings,
  operatorPort: 9080,
  start: (config, telemetry) => {
    const paths = peerTlsPaths(config);
    return startGateway({
      host: config.HOST,
      port: config.PORT,
      workspaceUrl: config.WORKSPACE_URL,
      environmentUrl: config.ENVIRONMENT_URL,
      identityUrl: config.IDENTITY_URL,
      requestDeadlineMs: config.REQUEST_DEADLINE_MS,
      corsOrigins: config.CORS_ORIGINS,
      maxWatches: config.MAX_WATCHES,
      limits: serverLimits(config),
      peerTls: paths && openTlsFiles(paths, telemetry.log),
      telemetry,
    });
  },
});
