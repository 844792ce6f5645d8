// The backend of our gateway: responds to a Connect call over HTTP/1.1 with a fixed message, without looking at it.
import { createServer } from "node:http";
import { serve } from "../../harness/serve.ts";
import { replies } from "../canned.ts";

const server = createServer((request, response) => {
  request.resume();
  const reply = replies.get(request.url ?? "");
  // 404 also for `OPTIONS *`, by which our gateway proves a new connection.
  response.writeHead(reply === undefined ? 404 : 200, { "content-type": "application/proto" });
  response.end(reply);
});
serve(server);
