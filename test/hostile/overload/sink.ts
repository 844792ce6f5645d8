// A server that refuses every request at once, at the least that Node can do it for: what is left of the machine beside
// it, and beside the client that sends to it, is the most that a gateway could still serve.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const BODY = JSON.stringify({ error: "the service is busy", code: "OVERLOADED", requestId: "" });
const HEAD = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(BODY), "Retry-After": "1" };

const server = createServer((_request, response) => response.writeHead(503, HEAD).end(BODY));
server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, () =>
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`),
);
process.stdin.resume().once("end", () => process.exit(0)); // ends with the process that started it
