// A proxy that passes bytes to an HTTP backend with undici, and converts nothing.
import { createServer } from "node:http";
import { Pool } from "undici";
import { serve } from "../../harness/serve.ts";

const pool = new Pool(process.env["BACKEND"] ?? "", { connections: 16 });

const server = createServer({ keepAliveTimeout: 65_000 }, async (request, response) => {
  const { method = "GET", url: path = "", headers } = request;
  try {
    const authorization = headers.authorization ?? "";
    await pool.stream(
      { method: method as "GET", path, headers: { authorization } },
      ({ statusCode, headers: sent }) => {
        response.writeHead(statusCode, sent);
        return response;
      },
    );
  } catch {
    if (!response.headersSent) response.writeHead(502);
    response.end();
  }
});
serve(server);
