import { runService, serviceConfig } from "@cloud/service";
import { schema, settings, startWorkspaceService } from "./service.ts";

await runService({
  schema,
  process,
  settings,
  operatorPort: 9081,
  start: (config, telemetry) =>
    startWorkspaceService({
      ...serviceConfig(config, telemetry),
      identityUrl: config.IDENTITY_URL,
      environmentUrl: config.ENVIRONMENT_URL,
      watchLimits: { max: config.MAX_WATCHES, maxPerUser: config.MAX_WATCHES_PER_USER },
    }),
});
