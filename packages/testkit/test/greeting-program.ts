/**
 * A program for the tests of the supervisor: greets on both its ports, logs, and exits with 0 at SIGTERM, with 3 at
 * POST.
 */
import { createServer } from "node:http";

const greeting = "hello"; // protects: greeting

for (const port of [process.env["PORT"], process.env["OPERATOR_PORT"]]) {
  const server = createServer((request, response) => {
    if (request.method === "POST") process.exit(3);
    // protects: given-greeting
    response.end(process.env["GREETING"] ?? greeting);
  });
  server.listen(Number(port), process.env["HOST"]);
}
process.stdout.write(JSON.stringify({ level: "info", msg: greeting }) + "\n");
process.once("SIGTERM", () => process.exit(0));
