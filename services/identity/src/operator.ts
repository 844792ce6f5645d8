/** The operator's commands of the identity service: `node services/identity/src/operator.ts --help`. */
import { runOperator } from "@cloud/service";
import { runBootstrap } from "./bootstrap/run-bootstrap.ts";
import { identityParts, schema } from "./service.ts";

await runOperator({
  schema,
  process,
  peerUrls: ["WORKSPACE_URL"],
  parts: ({ SERVICE_TOKEN, WORKSPACE_URL, peerTls }, telemetry) =>
    identityParts({ serviceToken: SERVICE_TOKEN, workspaceUrl: WORKSPACE_URL, peerTls, telemetry }),
  bootstrap: runBootstrap,
});
