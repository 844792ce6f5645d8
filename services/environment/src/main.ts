import { runService, serviceConfig } from "@cloud/service";
import { schema } from "./schema.ts";
import { startEnvironmentService } from "./service.ts";
import { settings } from "./settings.ts";

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
