import { fileURLToPath } from "node:url";
import { HELP, readLocalSettings } from "./local-settings.ts";
import { watchNpm } from "./npm-parent.ts";
import { runLocal } from "./run-local.ts";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));
// Whatever this process and its servers create is for its user alone: data, logs, tokens.
process.umask(0o077);
const print = (line: string) => process.stdout.write(`${line}\n`);
// The reader of our output may exit first, as in `npm start | head`; we must still stop the servers.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

try {
  const settings = readLocalSettings(process.argv.slice(2), process.env, REPOSITORY);
  if (settings.help) print(HELP);
  else await runLocal(settings, stopSignal(), print);
  process.exit(0);
} catch (error) {
  process.stderr.write(`${lineFor(error)}\n`);
  process.exit(1);
}

/** Settles at Ctrl-C, SIGTERM, a closed terminal or the end of npm; a second signal exits immediately. */
function stopSignal(): Promise<void> {
  let mayForce = false;
  return new Promise((resolve) => {
    const onSignal = () => {
      if (mayForce) process.exit(1);
      resolve();
      // npm forwards Ctrl-C although the terminal has sent it to us too: two within this time count as one.
      setTimeout(() => {
        mayForce = true;
      }, 500).unref();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
    watchNpm(resolve); // protects: npm-watched
  });
}

/** Returns one line for errors that users can fix, and the stack for defects of ours. */
function lineFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const expected = ["LocalServerError", "ConfigError"].includes(error.name) || isUnknownOption(error);
  return expected ? `npm start: ${error.message}` : (error.stack ?? error.message);
}

function isUnknownOption(error: Error): boolean {
  return String((error as NodeJS.ErrnoException).code).startsWith("ERR_PARSE_ARGS"); // that of a failed program is a number
}
