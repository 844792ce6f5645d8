// Serves requests that each write a line of 10,000 characters, and writes 50 more when it stops. With the argument
// `synchronous`, it is no more than a server whose log is written synchronously.
import { createServer } from "node:http";
import { pino } from "pino";
import { listen } from "../src/listen.ts";
import { runProgram } from "../src/run-program.ts";
import { logLevel, port } from "../src/settings/settings.ts";

type Log = Pick<ReturnType<typeof pino>, "warn">;

const write = (log: Log, kind: string) => log.warn({ text: "x".repeat(10_000) }, kind);

async function serve(log: Log, at: number): Promise<string> {
  const server = createServer((_request, response) => {
    write(log, "request");
    response.end();
  });
  return (await listen(server, "127.0.0.1", at, 10)).url;
}

if (process.argv[2] === "synchronous")
  await serve(pino(pino.destination({ dest: 1, sync: true })), Number(process.env["PORT"]));
else {
  await runProgram({
    name: "logging",
    process,
    settings: { LOG_LEVEL: logLevel(), PORT: port(0) },
    operatorPort: 0,
    start: async ({ PORT }, { log }) => ({
      url: await serve(log, PORT),
      readiness: async () => ({ ready: true, lines: ["ready"] }),
      beginDrain: () => undefined,
      stop: async () => {
        for (let count = 0; count < 50; count++) write(log, "stopping");
      },
    }),
  });
}
