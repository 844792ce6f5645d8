import { fileURLToPath } from "node:url";
import { HELP, readLocalSettings } from "./local-settings.ts";
import { runLocal } from "./run-local.ts";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));
const tell = (line: string) => process.stdout.write(`${line}\n`);

try {
  const settings = readLocalSettings(process.argv.slice(2), process.env, REPOSITORY);
  if (settings.help) tell(HELP);
  else await runLocal(settings, stopSignal(), tell);
  process.exit(0);
} catch (error) {
  process.stderr.write(`${lineFor(error)}\n`);
  process.exit(1);
}

/** Settles at Ctrl-C, SIGTERM or a closed terminal; a second one ends the process at once. */
function stopSignal(): Promise<void> {
  let mayForce = false;
  return new Promise((resolve) => {
    const onSignal = () => {
      if (mayForce) process.exit(1);
      resolve();
      // npm passes Ctrl-C on although the terminal has sent it to us too: twice within this time is once.
      setTimeout(() => {
        mayForce = true;
      }, 500).unref();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  });
}

/** One line for what a person can mend; the stack for what only we can. */
function lineFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const expected = ["LocalServerError", "ConfigError"].includes(error.name) || isUnknownOption(error);
  return expected ? `npm start: ${error.message}` : (error.stack ?? error.message);
}

function isUnknownOption(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code?.startsWith("ERR_PARSE_ARGS") ?? false;
}
