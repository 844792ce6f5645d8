import { openDatabase } from "@cloud/postgres";
import { openTlsFiles, type ServiceTransport, type TlsFiles } from "@cloud/rpc";
import { describeError } from "@cloud/runtime";
import {
  ConfigError,
  peerTlsPaths,
  peerTlsSettings,
  peerUrl,
  postgresUrl,
  readConfig,
  secret,
  type z,
} from "@cloud/runtime/settings";
import { createTelemetry, type Telemetry } from "@cloud/runtime/telemetry";
import { noCommitSignals } from "../commit-signals.ts";
import { directSettings, directUrlOf } from "../database.ts";
import { createAuthorities } from "../references/owner.ts";
import { purgesOf, retentionSettings } from "../retention.ts";
import { readMigrationAccess } from "../run-service.ts";
import type { ServiceDefinition, ServiceSchema } from "../service-config.ts";
import { checkCounts, migrateNow, purge } from "./database-commands.ts";
import { replay, rewind } from "./event-commands.ts";
import type { Outcome, Output, Place } from "./place.ts";
import { startProgress } from "./progress.ts";
import { type CommandName, type CommandOptions, helpOf, readCommand, Usage } from "./read-command.ts";
import { acceptInstallation, reconcileNow, unlinkUnknown } from "./reference-commands.ts";

interface OperatorOptions<Variable extends string, Peer extends string> {
  readonly schema: ServiceSchema;
  readonly process: NodeJS.Process;
  /** The variables that contain its peers' URLs, such as `IDENTITY_URL`. */
  readonly peerUrls: readonly Variable[];
  readonly parts: (config: OperatorConfig<Variable>, telemetry: Telemetry) => ServiceDefinition<Peer>;
  /** Runs `bootstrap` with the arguments after it, or returns its help; absent where another service has it. @throws Usage */
  readonly bootstrap?: (args: readonly string[], env: NodeJS.ProcessEnv, output: Output) => Promise<string | Outcome>;
}

/** The settings of the service that its commands need, and the files of TLS for its peers. */
type OperatorConfig<Variable extends string> = Readonly<Record<Variable | "SERVICE_TOKEN", string>> & {
  readonly peerTls: TlsFiles | undefined;
};

async function noBootstrap(_args: readonly string[], _env: NodeJS.ProcessEnv, { print }: Output): Promise<Outcome> {
  print("nothing to do: the identity service creates the first organization, its Provider Admin and their token");
  return { code: 0, report: { created: [] } };
}

/**
 * Runs one of the operator's commands, and sets the exit code: that of its outcome, 1 if it fails, 2 for wrong usage. The
 * result is on standard output, as lines or by `--json` as one object; progress and errors are on standard error.
 */
export async function runOperator<Variable extends string, Peer extends string>(
  options: OperatorOptions<Variable, Peer>,
): Promise<void> {
  const { schema, process } = options;
  const args = process.argv.slice(2).filter((arg) => arg !== "--json");
  const isJson = args.length < process.argv.length - 2;
  const write = (line: string) => void process.stdout.write(`${line}\n`);
  const complain = (line: string) => void process.stderr.write(`${line}\n`);
  const { step, stop } = startProgress(complain);
  try {
    const outcome = await runCommand(options, args, { print: isJson ? () => undefined : write, step });
    if (typeof outcome === "string") return write(outcome);
    process.exitCode = outcome.code;
    const dryRun = args.includes("--dry-run");
    if (isJson) write(JSON.stringify({ service: schema.name, dryRun, ...outcome.report }));
  } catch (error) {
    process.exitCode = error instanceof Usage ? 2 : 1;
    if (error instanceof Usage)
      complain(`${error.message}; --help describes the ${args[0] === "bootstrap" ? "arguments" : "commands"}`);
    else complain(error instanceof ConfigError ? error.message : describeError(error));
  } finally {
    stop();
  }
}

/** Returns the outcome of a command line, or the text of its help. @throws Usage, ConfigError, the errors of the servers */
async function runCommand<Variable extends string, Peer extends string>(
  options: OperatorOptions<Variable, Peer>,
  args: readonly string[],
  output: Output,
): Promise<string | Outcome> {
  const { schema, peerUrls, process } = options;
  const { env } = process;
  const { name } = schema;
  if (args[0] === "bootstrap") return await (options.bootstrap ?? noBootstrap)(args.slice(1), env, output);
  const command = readCommand(args);
  if (command === "help") return helpOf(name, peerUrls);
  const telemetry = createTelemetry({ service: name, level: "silent", processMetrics: false });
  const { log } = telemetry;
  if (command.name === "migrate") {
    return await migrateNow({ schema, access: readMigrationAccess(env), log, ...output }, command.options);
  }
  const settings = readSettings(peerUrls, env);
  const paths = peerTlsPaths(settings);
  const peerTls = paths && openTlsFiles(paths, log);
  const parts = options.parts({ ...settings, peerTls }, telemetry);
  const db = openDatabase({
    url: directUrlOf(settings),
    schema: name,
    applicationName: `${name} operator`,
    log,
    // Counting all rows takes longer than a request may.
    ...((command.name === "check-counts" || command.name === "purge") && { statementTimeoutMs: 0 }),
  });
  try {
    const purges = purgesOf(parts.schema.logs, settings);
    const components = parts.build(db, createAuthorities(parts.peers, db, telemetry.conditions), noCommitSignals);
    const place = { parts, components, db, purges, telemetry, env, ...output };
    return await COMMANDS[command.name](place, command.options);
  } finally {
    await db.close();
    for (const peer of Object.values<ServiceTransport>(parts.peers)) peer.close();
  }
}

function readSettings<Variable extends string>(peerUrls: readonly Variable[], env: NodeJS.ProcessEnv) {
  const peers = Object.fromEntries(peerUrls.map((variable) => [variable, peerUrl()]));
  const settings = {
    DATABASE_URL: postgresUrl(),
    ...directSettings(),
    SERVICE_TOKEN: secret(),
    ...peers,
    ...peerTlsSettings(),
    ...retentionSettings(),
  };
  return readConfig(settings, env) as Readonly<Record<Variable | "DATABASE_URL" | "SERVICE_TOKEN", string>> &
    z.output<
      z.ZodObject<
        ReturnType<typeof directSettings> & ReturnType<typeof peerTlsSettings> & ReturnType<typeof retentionSettings>
      >
    >;
}

/** The commands by name. A command throws ConfigError and the errors of the servers. */
const COMMANDS: Readonly<
  Record<Exclude<CommandName, "migrate">, (place: Place, options: CommandOptions) => Promise<Outcome>>
> = {
  purge,
  replay,
  rewind,
  reconcile: reconcileNow,
  "end-unknown": unlinkUnknown,
  "accept-installation": acceptInstallation,
  "check-counts": checkCounts,
};
