import { parseArgs } from "node:util";
import { beginJudgements, printNotJudged } from "@cloud/testkit/figures";
import { findRuns, nameOfRun, type Run, selects } from "./find-runs.ts";
import { runJest } from "./run-jest.ts";
import { summary } from "./summary.ts";

/** A kind of runs: the files `<name>.<kind>.test.ts`, which are a project of jest.config.js, and `findRuns`' others. */
export interface Suite {
  readonly kind: string;
  readonly help: string;
}

interface Options {
  readonly only?: string | undefined;
  readonly long?: boolean | undefined;
  readonly seed?: string | undefined;
  readonly help?: boolean | undefined;
}

/** The longest run takes 3 minutes on a quiet machine. */
const FILE_LIMIT_MS = 20 * 60_000;
const LONG_FILE_LIMIT_MS = 180 * 60_000;

/** Runs what the command line selects; returns the exit code. */
export async function runSuite(suite: Suite): Promise<number> {
  const options = readOptions();
  if (typeof options === "string") {
    process.stderr.write(`${options}; --help describes the options\n`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(suite.help);
    return 0;
  }
  return await runAll(suite, options);
}

/** Returns a text if an option is invalid. */
function readOptions(): Options | string {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  try {
    const { values } = parseArgs({ options: { only: text, long: flag, seed: text, help: flag } });
    const isSeed = values.seed === undefined || /^[1-9]\d{0,9}$/.test(values.seed);
    return isSeed ? values : `--seed takes a positive integer, not ${values.seed}`;
  } catch (error) {
    return (error as Error).message.split("\n", 1)[0] ?? "";
  }
}

async function runAll({ kind }: Suite, options: Options): Promise<number> {
  const began = performance.now();
  beginJudgements();
  const known = await findRuns(kind);
  const wanted = options.only?.split(",") ?? [];
  const strange = wanted.filter((name) => !known.some((run) => selects(name, run.name)));
  if (strange.length > 0) {
    const names = known.map(({ name }) => name).join(", ");
    process.stderr.write(`no run is named ${strange.join(", ")}; there are ${names}\n`);
    return 2;
  }
  const isWanted = ({ name }: Run) => options.only === undefined || wanted.some((one) => selects(one, name));
  const selected = known.filter(isWanted);
  const fileLimitMs = options.long === true ? LONG_FILE_LIMIT_MS : FILE_LIMIT_MS;
  const patterns = selected.flatMap((one) => one.files).map((file) => `/${file.replaceAll(".", "\\.")}$`);
  // With one worker, because each run is a whole system under load. The races of services are of the project that the
  // gate plays.
  const args = [...patterns, "--maxWorkers=1", "--verbose", "--selectProjects", kind, "integration"];
  const { files, succeeded: held } = await runJest({ args, env: environment(options), fileLimitMs });
  const repeat = (file: string) => `npm run test:${kind} -- --only ${nameOfRun(file)}`;
  process.stdout.write(summary(files, repeat));
  const seconds = Math.round((performance.now() - began) / 1000);
  process.stdout.write(`${verdictOf(held, printNotJudged())}; ${seconds} s\n`);
  return held ? 0 : 1;
}

function verdictOf(held: boolean, notJudged: number): string {
  if (!held) return "NOT every promise held";
  return notJudged === 0 ? "every promise held" : `what could be judged held, ${notJudged} bounds in time were not`;
}

/** Races have the size that docs/reliability.md promises: see `raceSize`. */
function environment({ long, seed }: Options): Record<string, string> {
  const size: Record<string, string> = long === true ? { CHAOS_LONG: "1", RACE_SIZE: "long" } : { RACE_SIZE: "chaos" };
  return seed === undefined ? size : { ...size, CHAOS_SEED: seed };
}
