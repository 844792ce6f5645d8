// Looks up the sender of each request, by the statement of the monolith.
import { createServer } from "node:http";
import { serve } from "../../harness/serve.ts";
import { authenticate } from "../monolith/authenticate.ts";
import { openDatabase } from "../monolith/database.ts";

const { query } = openDatabase(process.env["DATABASE_URL"] ?? "");

const server = createServer({ keepAliveTimeout: 65_000 }, async ({ headers }, response) => {
  try {
    const { userId, permissions } = await authenticate(query, headers.authorization);
    const held = [...permissions].map(([organization, keys]) => [organization, [...keys]]);
    response.end(JSON.stringify({ userId, permissions: held }));
  } catch {
    response.writeHead(401).end();
  }
});
serve(server);
