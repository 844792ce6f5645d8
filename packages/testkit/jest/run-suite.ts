import { glob } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { beginJudgements, printNotJudged } from "@cloud/testkit/figures";
import { runJest } from "./run-jest.ts";
import { summary } from "./summary.ts";
import type { FileNotes } from "./test-notes.ts";

/** A kind of runs: the files `<name>.<kind>.test.ts`, which are a project of jest.config.js. */
export interface Suite {
  readonly kind: string;
  readonly help: string;
  /** Names of runs that measure durations, or need the whole machine, so they run alone. */
  readonly measured: readonly string[];
  /** How many of the others run at a time. */
  readonly atOnce: number;
}

interface Options {
  readonly only?: string | undefined;
  readonly long?: boolean | undefined;
  readonly seed?: string | undefined;
  readonly help?: boolean | undefined;
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
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

async function runAll({ kind, measured, atOnce }: Suite, options: Options): Promise<number> {
  const began = performance.now();
  beginJudgements();
  const known = await runNames(kind);
  const wanted = options.only?.split(",") ?? known;
  const strange = wanted.filter((name) => !known.includes(name));
  if (strange.length > 0) {
    process.stderr.write(`no run is named ${strange.join(", ")}; there are ${known.join(", ")}\n`);
    return 2;
  }
  const fileOf = (name: string) => `/${name}\\.${kind}\\.test\\.ts$`;
  const alone = wanted.filter((name) => measured.includes(name));
  const others = wanted.filter((name) => !measured.includes(name));
  const fileLimitMs = options.long === true ? LONG_FILE_LIMIT_MS : FILE_LIMIT_MS;
  const files: FileNotes[] = [];
  let held = true;
  const run = async (selected: readonly string[], ...args: string[]) => {
    if (selected.length === 0) return;
    const all = [...selected.map(fileOf), ...args, "--verbose", "--selectProjects", kind];
    const result = await runJest({ args: all, env: environment(options), fileLimitMs });
    files.push(...result.files);
    held = held && result.succeeded;
  };
  await run(others, `--maxWorkers=${atOnce}`);
  await run(alone, "--maxWorkers=1");
  const repeat = (file: string) => `npm run test:${kind} -- --only ${basename(file, `.${kind}.test.ts`)}`;
  process.stdout.write(summary(files, repeat));
  const seconds = Math.round((performance.now() - began) / 1000);
  process.stdout.write(`${verdictOf(held, printNotJudged())}; ${seconds} s\n`);
  return held ? 0 : 1;
}

function verdictOf(held: boolean, notJudged: number): string {
  if (!held) return "NOT every promise held";
  return notJudged === 0 ? "every promise held" : `what could be judged held, ${notJudged} bounds in time were not`;
}

function environment({ long, seed }: Options): Record<string, string> {
  return { ...(long === true ? { CHAOS_LONG: "1" } : {}), ...(seed === undefined ? {} : { CHAOS_SEED: seed }) };
}

/** Returns the names of the runs of a kind, sorted. */
export async function runNames(kind: string): Promise<string[]> {
  const names = new Set<string>();
  for await (const file of glob(`{services/*/test,test}/**/*.${kind}.test.ts`, { cwd: ROOT })) {
    names.add(basename(file, `.${kind}.test.ts`));
  }
  return [...names].toSorted();
}
