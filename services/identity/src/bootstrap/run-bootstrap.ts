import { openDatabase } from "@cloud/postgres";
import { requireMigrated } from "@cloud/postgres/migrations";
import { describeError } from "@cloud/runtime";
import { ConfigError, postgresUrl, readConfig } from "@cloud/runtime/settings";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { directSettings, directUrlOf, migrationsOf } from "@cloud/service";
import { schema } from "../service.ts";
import { type Bootstrapped, bootstrapSystem } from "./bootstrap-system.ts";
import { type Arguments, HELP, readArguments, Usage } from "./read-arguments.ts";

/** The environment variables that the command reads. */
export const bootstrapSettings = { DATABASE_URL: postgresUrl(), ...directSettings() };

/** Runs the command with these arguments and sets the exit code: 0 done, 1 not done, 2 wrong usage. */
export async function runBootstrap(process: NodeJS.Process, args: readonly string[]): Promise<void> {
  const fail = (code: number, message: string) => {
    process.stderr.write(`${message}\n`);
    process.exitCode = code;
  };
  try {
    const wanted = readArguments(args);
    if (wanted === "help") return void process.stdout.write(HELP);
    const settings = readConfig(bootstrapSettings, process.env);
    const done = await bootstrapIn(directUrlOf(settings), wanted);
    for (const line of linesOf(done, wanted)) process.stdout.write(`${line}\n`);
  } catch (error) {
    if (error instanceof Usage) return fail(2, `${error.message}; --help describes the arguments`);
    fail(1, error instanceof ConfigError ? error.message : describeError(error));
  }
}

async function bootstrapIn(url: string, wanted: Arguments): Promise<Bootstrapped> {
  const { log } = createTelemetry({ service: schema.name, level: "silent", processMetrics: false });
  // No wait: whatever runs the command, such as a Job, waits and tries again.
  await requireMigrated({ url, schema: schema.name, sources: migrationsOf(schema), waitMs: 0, log });
  const db = openDatabase({ url, schema: schema.name, applicationName: "identity bootstrap", log });
  try {
    return await bootstrapSystem(db, wanted);
  } finally {
    await db.close();
  }
}

function linesOf({ created, secret }: Bootstrapped, wanted: Arguments): string[] {
  const { email, organization, dryRun } = wanted;
  if (created.length === 0) {
    const token = wanted.secret === undefined ? "" : ", and the token in the file is theirs";
    return [`nothing to do: ${email} is a Provider Admin of the organization "${organization}"${token}`];
  }
  const lines = created.map((one) => `${dryRun ? "would create" : "created"} ${one}`);
  return secret === undefined
    ? lines
    : [...lines, "its secret, which is stored nowhere and never shown again:", secret];
}
