/** The operator's commands of the identity service: `node services/identity/src/operator.ts --help`. */
import { runOperator } from "@cloud/service";
import { identityParts } from "./service.ts";

await runOperator({
  name: "identity",
  process,
  peerUrls: ["WORKSPACE_URL"],
  parts: ({ SERVICE_TOKEN, WORKSPACE_URL, peerTls }) =>
    identityParts({ serviceToken: SERVICE_TOKEN, workspaceUrl: WORKSPACE_URL, peerTls }),
});
