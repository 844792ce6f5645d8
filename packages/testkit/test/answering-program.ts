/** A program for the tests of the supervisor: answers /healthz, logs, and exits with 0 at SIGTERM, with 3 at POST. */
import { createServer } from "node:http";

const greeting = "hello";

const server = createServer((request, response) => {
  if (request.method === "POST") process.exit(3);
  response.end(greeting);
});
server.listen(Number(process.env["PORT"]), process.env["HOST"]);
process.stdout.write(JSON.stringify({ level: "info", msg: greeting }) + "\n");
process.once("SIGTERM", () => process.exit(0));
