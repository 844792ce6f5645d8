import { parseArgs } from "node:util";
import { isId } from "@cloud/access/values";

/** The options of each command, besides `--dry-run`. */
const COMMANDS = {
  purge: [],
  replay: ["id"],
  rewind: [],
  reconcile: [],
  migrate: [],
  "end-unknown": ["count"],
  "accept-installation": ["peer"],
  "check-counts": ["repair"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type CommandName = keyof typeof COMMANDS;

/** The options of a command line. Each command uses some of them. */
export interface CommandOptions {
  /** Only shows what the command would do. */
  readonly dryRun: boolean;
  /** Corrects wrong counts. */
  readonly repair: boolean;
  /** The parked message to replay; all messages that were not replayed yet if absent. */
  readonly id: string | undefined;
  /** The number that a dry run of `end-unknown` has shown. */
  readonly count: number | undefined;
  /** The peer of `accept-installation`. */
  readonly peer: string | undefined;
}

/** Thrown for an invalid command line. */
export class Usage extends Error {}

/** Parses a command line. @throws Usage */
export function readCommand(
  args: readonly string[],
): "help" | { readonly name: CommandName; readonly options: CommandOptions } {
  const { values, positionals } = parse(args);
  if (values.help || args.length === 0) return "help";
  const [first, second] = positionals;
  if (second !== undefined) throw new Usage(`one command is run at a time, not ${second}, too`);
  const name = (Object.keys(COMMANDS) as CommandName[]).find((known) => known === first);
  if (name === undefined) throw new Usage(`there is no command ${first ?? "without a name"}`);
  const own: readonly string[] = ["dry-run", ...COMMANDS[name]];
  const other = Object.keys(values).find((option) => !own.includes(option));
  if (other !== undefined) throw new Usage(`${name} takes no --${other}`);
  const { id, count, peer, repair = false, "dry-run": dryRun = false } = values;
  if (name === "replay" && id !== undefined && !isId(id)) {
    throw new Usage("--id takes the id that --dry-run has shown");
  }
  if (name === "end-unknown" && dryRun === (count !== undefined)) {
    throw new Usage("end-unknown takes either --dry-run or --count");
  }
  if (name === "accept-installation" && peer === undefined) throw new Usage("accept-installation takes --peer");
  if (!/^[1-9]\d*$/.test(count ?? "1")) throw new Usage("--count takes the number that --dry-run has shown");
  const numbered = count === undefined ? undefined : Number(count);
  return { name, options: { dryRun, repair, id: id?.toLowerCase(), count: numbered, peer } };
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = { help: flag, "dry-run": flag, repair: flag, count: text, peer: text, id: text };
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new Usage((error as Error).message.split("\n", 1)[0]);
  }
}

/** Returns the output of `--help`. */
export function helpOf(name: string, peerUrls: readonly string[]): string {
  const peers = peerUrls.map((variable) => variable.replace(/_URL$/, "").toLowerCase()).join(" or ");
  return `Commands of the ${name} service for operators; docs/runbooks says when to use which.

  node services/${name}/src/operator.ts <command>

  <command> --dry-run                         only show what the command would do
  <command> --json                            print the result as one object of JSON

  replay --dry-run                            list the parked messages that were not replayed yet
  replay [--id <id>]                          publish them, or the one of this id, again, to this service only
  rewind --dry-run                            count the events that the service would receive again
  rewind                                      receive all events of the stream again; applied ones are skipped
  reconcile --dry-run                         compare all references with the owners of their records
  reconcile                                   repair what differs, now, as the service does every 5 minutes
  migrate --dry-run                           list the migrations that the schema lacks
  migrate                                     apply them, as MIGRATION_DATABASE_URL
  bootstrap --help                            create the first organization, user and token, which identity does
  end-unknown --dry-run                       list what refers to records that their owners do not know
  end-unknown --count <n>                     end it, for good, when exactly so many are listed
  accept-installation --peer <p> --dry-run    show which database a peer (${peers}) answers from
  accept-installation --peer <p>              act upon the answers of that database from now on
  purge --dry-run                             count the rows that are older than LOG_DAYS and OUTBOX_DAYS say
  purge                                       delete them now, in batches, as the service does every 5 minutes
  check-counts [--dry-run]                    compare the counts of all lists with their rows
  check-counts --repair                       correct the wrong ones
  --help                                      print this

They read the environment variables of the service itself. The program's role (DATABASE_URL) has all the rights that they
need; only migrate connects as the owner of the schema. What takes long reports on standard error, every 5 s, how far it is.

Exit codes: 0 done, or nothing to do; 1 not done, with the reason on standard error; 2 wrong usage; 3 check-counts found wrong
counts, and has not corrected them. In Kubernetes:

  kubectl exec deploy/${name} -- node operator.mjs replay --dry-run`;
}
