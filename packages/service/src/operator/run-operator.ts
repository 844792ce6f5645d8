import {
  ConfigError,
  peerTlsPaths,
  peerTlsSettings,
  postgresUrl,
  readConfig,
  secret,
  url,
  type z,
} from "@cloud/config";
import { type Database, openDatabase } from "@cloud/postgres";
import { openTlsFiles, type ServiceTransport, type TlsFiles } from "@cloud/rpc";
import { createTelemetry, describeError, type Telemetry } from "@cloud/telemetry";
import { ownersOf } from "../owners/owners-of.ts";
import { type Purge, purgesOf } from "../retention/purges-of.ts";
import { retentionConfig, retentionSettings } from "../retention/retention-settings.ts";
import type { ServiceParts } from "../service-parts.ts";
import { acceptInstallation } from "./accept-installation.ts";
import { checkCounts } from "./check-counts.ts";
import { endUnknown } from "./end-unknown.ts";
import { helpOf } from "./help.ts";
import { purge } from "./purge.ts";
import { type Command, readCommand, Usage } from "./read-command.ts";

export interface OperatorOptions<Variable extends string, Peer extends string> {
  readonly name: string;
  readonly process: NodeJS.Process;
  /** The variables that contain its peers' URLs, such as `IDENTITY_URL`. */
  readonly peerUrls: readonly Variable[];
  readonly parts: (config: OperatorConfig<Variable>, telemetry: Telemetry) => ServiceParts<Peer>;
}

/** The settings of the service that its commands need, and the files of TLS for its peers. */
type OperatorConfig<Variable extends string> = Readonly<Record<Variable | "SERVICE_TOKEN", string>> & {
  readonly peerTls: TlsFiles | undefined;
};

/** Runs one of the operator's commands and sets the exit code: 0 done, 1 not done, 2 wrong usage. */
export async function runOperator<Variable extends string, Peer extends string>(
  options: OperatorOptions<Variable, Peer>,
): Promise<void> {
  const { name, process, peerUrls } = options;
  const fail = (code: number, message: string) => {
    process.stderr.write(`${message}\n`);
    process.exitCode = code;
  };
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  try {
    const command = readCommand(process.argv.slice(2));
    if (command === "help") return print(helpOf(name, peerUrls));
    const settings = readSettings(peerUrls, process.env);
    const telemetry = createTelemetry({ service: name, level: "silent", processMetrics: false });
    const paths = peerTlsPaths(settings);
    const peerTls = paths && openTlsFiles(paths, telemetry.log);
    const parts = options.parts({ ...settings, peerTls }, telemetry);
    const db = openDatabase({
      url: settings.DATABASE_URL,
      schema: name,
      applicationName: `${name} operator`,
      log: telemetry.log,
      // Counting all rows takes longer than a request may.
      ...(command.name === "check-counts" && { statementTimeoutMs: 0 }),
    });
    try {
      const purges = purgesOf(parts.schema, retentionConfig(settings));
      process.exitCode = await run(command, { parts, db, purges, telemetry, print });
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
  const peers = Object.fromEntries(peerUrls.map((variable) => [variable, url("http", "https")]));
  const settings = {
    DATABASE_URL: postgresUrl(),
    SERVICE_TOKEN: secret(),
    ...peers,
    ...peerTlsSettings(),
    ...retentionSettings(),
  };
  return readConfig(settings, env) as Readonly<Record<Variable | "DATABASE_URL" | "SERVICE_TOKEN", string>> &
    z.output<z.ZodObject<ReturnType<typeof peerTlsSettings> & ReturnType<typeof retentionSettings>>>;
}

interface Place<Peer extends string> {
  readonly parts: ServiceParts<Peer>;
  readonly db: Database;
  readonly purges: readonly Purge[];
  readonly telemetry: Telemetry;
  readonly print: (line: string) => void;
}

async function run<Peer extends string>(
  command: Exclude<Command, "help">,
  { parts, db, purges, telemetry, print }: Place<Peer>,
): Promise<number> {
  if (command.name === "purge") return await purge({ db, purges, log: telemetry.log, dryRun: command.dryRun, print });
  if (command.name === "check-counts") return await checkCounts({ db, repair: command.repair, print });
  const wiring = parts.wire(db, ownersOf(parts.peers, db, telemetry.conditions));
  if (command.name === "end-unknown") return await endUnknown({ db, wiring, count: command.count, print });
  const { peer, dryRun } = command;
  const transport = (parts.peers as Readonly<Record<string, ServiceTransport>>)[peer];
  if (transport === undefined) throw new Usage(`--peer takes one of ${Object.keys(parts.peers).join(", ")}`);
  return await acceptInstallation({ db, peer, transport, kinds: wiring.kinds, dryRun, print });
}
