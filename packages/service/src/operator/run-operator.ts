import { connectNats, natsAccess, natsSettings } from "@cloud/events/nats";
import { type Database, openDatabase } from "@cloud/postgres";
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
import { graceSettings } from "../references/start-reconciler.ts";
import { type Purge, purgesOf, retentionConfig, retentionSettings } from "../retention.ts";
import { readMigrationAccess } from "../run-service.ts";
import type { ServiceDefinition, ServiceSchema } from "../service-config.ts";
import { checkCounts, migrateNow, purge } from "./database-commands.ts";
import { replay, rewind } from "./event-commands.ts";
import { type Command, helpOf, readCommand, Usage } from "./read-command.ts";
import { type ReconcileCommand, reconcileNow, showDifferences, unlinkUnknown } from "./reference-commands.ts";

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
    if (command === "help") return print(helpOf(name));
    const telemetry = createTelemetry({ service: name, level: "silent", processMetrics: false });
    if (command.name === "migrate") {
      const access = readMigrationAccess(process.env);
      process.exitCode = await migrateNow({ schema, access, log: telemetry.log, dryRun: command.dryRun, print });
      return;
    }
    const settings = readSettings(peerUrls, process.env);
    const paths = peerTlsPaths(settings);
    const peerTls = paths && openTlsFiles(paths, telemetry.log);
    const parts = options.parts({ ...settings, peerTls }, telemetry);
    const db = openDatabase({
      url: directUrlOf(settings),
      schema: name,
      applicationName: `${name} operator`,
      log: telemetry.log,
      // Counting all rows takes longer than a request may.
      ...(command.name === "check-counts" && { statementTimeoutMs: 0 }),
    });
    try {
      const purges = purgesOf(parts.schema, retentionConfig(settings));
      process.exitCode = await runCommand(command, { parts, db, purges, telemetry, print, env: process.env });
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

/** The parts of the service that the commands act on. */
interface Place<Peer extends string> {
  readonly parts: ServiceDefinition<Peer>;
  readonly db: Database;
  readonly purges: readonly Purge[];
  readonly telemetry: Telemetry;
  readonly print: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a command and returns its exit code. @throws Usage, ConfigError, and the errors of the servers */
async function runCommand<Peer extends string>(
  command: Exclude<Command, "help" | { readonly name: "migrate" }>,
  place: Place<Peer>,
): Promise<number> {
  const { parts, db, purges, telemetry, print, env } = place;
  if (command.name === "purge") return await purge({ db, purges, log: telemetry.log, dryRun: command.dryRun, print });
  if (command.name === "check-counts") return await checkCounts({ db, repair: command.repair, print });
  if (command.name === "replay") return await replay({ db, id: command.id, dryRun: command.dryRun, print });
  const components = parts.build(db, createAuthorities(parts.peers), noCommitSignals);
  if (command.name === "end-unknown") return await unlinkUnknown({ db, components, count: command.count, print });
  if (command.name === "rewind") {
    const nats = natsAccess(readConfig(natsSettings(), env));
    return await rewind({
      nats,
      consumer: parts.schema.name,
      effects: components.effects,
      dryRun: command.dryRun,
      print,
    });
  }
  return command.dryRun
    ? await showDifferences(components.references, print)
    : await reconcileOverNats(place, components);
}

/** Reconciles with a connection to NATS: while it is away, an event in transit looks like a missing one. */
async function reconcileOverNats<Peer extends string>(
  { parts, telemetry, print, env }: Place<Peer>,
  components: ReconcileCommand["components"],
): Promise<number> {
  const { RECONCILER_GRACE_MS: graceMs, ...settings } = readConfig({ ...natsSettings(), ...graceSettings() }, env);
  const transport = connectNats({ ...natsAccess(settings), clientName: parts.schema.name, telemetry });
  try {
    return await reconcileNow({ components, transport, graceMs, print });
  } finally {
    await transport.close();
  }
}
