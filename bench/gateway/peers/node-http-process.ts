// The least that a Node program can do: respond with bytes that were ready before. It is also the backend of the proxy.
import { createServer } from "node:http";
import { serve } from "../../harness/serve.ts";
import { jsonFor } from "../json-replies.ts";

const server = createServer({ keepAliveTimeout: 65_000 }, ({ url = "" }, response) => {
  const body = jsonFor(url);
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
});
serve(server);
