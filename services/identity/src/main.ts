import { runService, serviceConfig } from "@cloud/service";
import { schema, settings, startIdentityService } from "./service.ts";

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
