// Returns a workspace to a member of its organization, whom the identity process looks up.
import { createServer } from "node:http";
import { Pool } from "undici";
import { serve } from "../../harness/serve.ts";
import { requirePermission } from "../monolith/authenticate.ts";
import { openDatabase } from "../monolith/database.ts";
import { requireWorkspace } from "../monolith/reads.ts";
import { workspaceToJson } from "../monolith/records.ts";

const { query } = openDatabase(process.env["DATABASE_URL"] ?? "");
const identity = new Pool(process.env["IDENTITY_URL"] ?? "", { connections: 16 });

interface Held {
  readonly userId: string;
  readonly permissions: readonly (readonly [string, readonly string[]])[];
}

const server = createServer({ keepAliveTimeout: 65_000 }, async ({ url = "", headers }, response) => {
  try {
    const authorization = headers.authorization ?? "";
    const { body } = await identity.request({ method: "GET", path: "/", headers: { authorization } });
    const { userId, permissions } = (await body.json()) as Held;
    const workspace = await requireWorkspace(query, url.slice(url.lastIndexOf("/") + 1));
    const held = new Map(permissions.map(([organization, keys]) => [organization, new Set(keys)]));
    requirePermission({ userId, permissions: held }, workspace.organization_id);
    const json = Buffer.from(JSON.stringify(workspaceToJson(workspace)));
    response.writeHead(200, { "content-type": "application/json", "content-length": json.length }).end(json);
  } catch {
    response.writeHead(500).end();
  }
});
serve(server);
