import { openDatabase } from "@cloud/postgres";
import { requireMigrated } from "@cloud/postgres/migrations";
import { postgresUrl, readConfig } from "@cloud/runtime/settings";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { directSettings, directUrlOf, migrationsOf, type Outcome, type Output } from "@cloud/service";
import { schema } from "../service.ts";
import { type Bootstrapped, bootstrapSystem } from "./bootstrap-system.ts";
import { type Arguments, HELP, readArguments } from "./read-arguments.ts";

/** The environment variables that the command reads. */
export const bootstrapSettings = { DATABASE_URL: postgresUrl(), ...directSettings() };

/** Runs the command with these arguments, or returns its help. @throws Usage, ConfigError, Error if it is not done */
export async function runBootstrap(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { print }: Output,
): Promise<string | Outcome> {
  const wanted = readArguments(args);
  if (wanted === "help") return HELP;
  const settings = readConfig(bootstrapSettings, env);
  const done = await bootstrapIn(directUrlOf(settings), wanted);
  for (const line of linesOf(done, wanted)) print(line);
  return { code: 0, report: { ...done } };
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
  const records = {
    user: `the user ${email}`,
    organization: `the organization "${organization}", with ${email} as Org Admin and Provider Admin`,
    token: `a token of ${email}${wanted.secret ? ", which is that in the file" : ""}`,
  };
  const lines = created.map((one) => `${dryRun ? "would create" : "created"} ${records[one]}`);
  return secret === undefined
    ? lines
    : [...lines, "its secret, which is stored nowhere and never shown again:", secret];
}
