import { runService, serviceConfig } from "@cloud/service";
import { schema } from "./schema.ts";
import { startIdentityService } from "./service.ts";
import { settings } from "./settings.ts";

await runService({
  schema,
  process,
  settings,
  operatorPort: 9083,
  start: (config, telemetry) =>
    startIdentityService({
      ...serviceConfig(config, telemetry),
      workspaceUrl: config.WORKSPACE_URL,
      maxPendingInvitations: config.MAX_PENDING_INVITATIONS,
    }),
});
