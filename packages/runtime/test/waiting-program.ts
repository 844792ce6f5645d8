import { runProgram } from "../src/run-program.ts";
import { logLevel } from "../src/settings/settings.ts";

// Serves, fails to start, or never finishes starting, depending on the first argument. The timer keeps the process
// alive.
setInterval(() => undefined, 60_000);
await runProgram({
  name: "waiting",
  process,
  settings: { LOG_LEVEL: logLevel() },
  operatorPort: 0,
  start: async (_config, { log }) => {
    switch (process.argv[2]) {
      case "fail":
        throw new Error("no database", { cause: new Error("refused") });
      case "hang":
        log.info("starting");
        return new Promise(() => undefined);
      default:
        return {
          url: "http://nowhere",
          readiness: async () => ({ ready: true, lines: ["ready"] }),
          beginDrain: () => log.info("left"),
          stop: async () => log.info("stopped"),
        };
    }
  },
});
