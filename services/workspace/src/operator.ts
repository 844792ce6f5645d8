/** The operator's commands of the workspace service: `node services/workspace/src/operator.ts --help`. */
import { runOperator } from "@cloud/service";
import { schema, workspaceParts } from "./service.ts";

await runOperator({
  schema,
  process,
  peerUrls: ["IDENTITY_URL", "ENVIRONMENT_URL"],
  parts: (config, telemetry) =>
    workspaceParts({
      serviceToken: config.SERVICE_TOKEN,
      identityUrl: config.IDENTITY_URL,
      environmentUrl: config.ENVIRONMENT_URL,
      peerTls: config.peerTls,
      telemetry,
    }),
});
