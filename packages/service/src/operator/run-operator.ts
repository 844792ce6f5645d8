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
import type { Place } from "./place.ts";
import { type CommandName, type CommandOptions, helpOf, readCommand, Usage } from "./read-command.ts";
import { acceptInstallation, reconcileNow, unlinkUnknown } from "./reference-commands.ts";

interface OperatorOptions<Variable extends string, Peer extends string> {
  readonly schema: ServiceSchema;
  readonly process: NodeJS.Process;
  /** The variables that contain its peers' URLs, such as `IDENTITY_URL`. */
  readonly peerUrls: readonly Variable[];
  readonly parts: (config: OperatorConfig<Variable>, telemetry: Telemetry) => ServiceDefinition<Peer>;
  /** Runs `bootstrap` with the arguments after it, and sets the exit code; absent where another service has it. */
  readonly bootstrap?: (process: NodeJS.Process, args: readonly string[]) => Promise<void>;
}

/** The settings of the service that its commands need, and the files of TLS for its peers. */
type OperatorConfig<Variable extends string> = Readonly<Record<Variable | "SERVICE_TOKEN", string>> & {
  readonly peerTls: TlsFiles | undefined;
};

const NO_BOOTSTRAP =
  "nothing to do: the identity service creates the first organization, its Provider Admin and their token";

/** Runs one of the operator's commands and sets the exit code: 0 done, 1 not done, 2 wrong usage. */
export async function runOperator<Variable extends string, Peer extends string>(
  options: OperatorOptions<Variable, Peer>,
): Promise<void> {
  const { schema, process, peerUrls } = options;
  const { name } = schema;
  const fail = (code: number, message: string) => {
    process.stderr.write(`${message}\n`);
    process.exitCode = code;
  };
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const [first, ...others] = process.argv.slice(2);
  if (first === "bootstrap")
    return options.bootstrap === undefined ? print(NO_BOOTSTRAP) : options.bootstrap(process, others);
  try {
    const command = readCommand(process.argv.slice(2));
    if (command === "help") return print(helpOf(name, peerUrls));
    const telemetry = createTelemetry({ service: name, level: "silent", processMetrics: false });
    const { log } = telemetry;
    if (command.name === "migrate") {
      const access = readMigrationAccess(process.env);
      process.exitCode = await migrateNow({ schema, access, log, print }, command.options);
      return;
    }
    const settings = readSettings(peerUrls, process.env);
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
      const place = { parts, components, db, purges, telemetry, print, env: process.env };
      process.exitCode = await COMMANDS[command.name](place, command.options);
    } finally {
      await db.close();
      for (const peer of Object.values<ServiceTransport>(parts.peers)) peer.close();
    }
  } catch (error) {
    if (error instanceof Usage) return fail(2, `${error.message}; --help describes the commands`);
    fail(1, error instanceof ConfigError ? error.message : describeError(error));
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

/** The commands by name. A command returns its exit code, and throws ConfigError and the errors of the servers. */
const COMMANDS: Readonly<
  Record<Exclude<CommandName, "migrate">, (place: Place, options: CommandOptions) => Promise<number>>
> = {
  purge,
  replay,
  rewind,
  reconcile: reconcileNow,
  "end-unknown": unlinkUnknown,
  "accept-installation": acceptInstallation,
  "check-counts": checkCounts,
};
