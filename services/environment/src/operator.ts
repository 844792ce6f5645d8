/** The operator's commands of the environment service: `node services/environment/src/operator.ts --help`. */
import { runOperator } from "@cloud/service";
import { environmentParts, schema } from "./service.ts";

await runOperator({
  schema,
  process,
  peerUrls: ["IDENTITY_URL"],
  parts: ({ SERVICE_TOKEN, IDENTITY_URL, peerTls }, telemetry) =>
    environmentParts({ serviceToken: SERVICE_TOKEN, identityUrl: IDENTITY_URL, peerTls, telemetry }),
});
