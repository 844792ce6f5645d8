import { runService, serviceConfig } from "@cloud/service";
import { schema, settings, startEnvironmentService } from "./service.ts";

await runService({
  schema,
  process,
  settings,
  operatorPort: 9082,
  start: (config, telemetry) =>
    startEnvironmentService({
      ...serviceConfig(config, telemetry),
      identityUrl: config.IDENTITY_URL,
    }),
});
