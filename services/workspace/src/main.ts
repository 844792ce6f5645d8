import { runService, serviceConfig } from "@cloud/service";
import { schema } from "./schema.ts";
import { startWorkspaceService } from "./service.ts";
import { settings } from "./settings.ts";

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
      watchLimits: { most: config.MAX_WATCHES, mostPerUser: config.MAX_WATCHES_PER_USER },
    }),
});
