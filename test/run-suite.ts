import { spawn } from "node:child_process";
import { once } from "node:events";
import { glob } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** A kind of runs: the files `<name>.<kind>.test.ts`, which are a project of jest.config.js. */
export interface Suite {
  readonly kind: string;
  readonly help: string;
  /** Names of runs that measure durations, or need the whole machine, so they run alone; the others two at a time. */
  readonly measured: readonly string[];
}

interface Options {
  readonly only?: string | undefined;
  readonly long?: boolean | undefined;
  readonly seed?: string | undefined;
  readonly help?: boolean | undefined;
}

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const JEST = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning", "node_modules/jest/bin/jest.js"];

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

async function runAll({ kind, measured }: Suite, options: Options): Promise<number> {
  const began = performance.now();
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
  let failed = 0;
  if (others.length > 0) failed += await jest(kind, options, ["--maxWorkers=2", ...others.map(fileOf)]);
  if (alone.length > 0) failed += await jest(kind, options, ["--runInBand", ...alone.map(fileOf)]);
  const seconds = Math.round((performance.now() - began) / 1000);
  process.stdout.write(`${failed === 0 ? "every promise held" : "NOT every promise held"}; ${seconds} s\n`);
  return failed === 0 ? 0 : 1;
}

/** Returns the names of the runs of a kind, sorted. */
export async function runNames(kind: string): Promise<string[]> {
  const names = new Set<string>();
  for await (const file of glob(`{services/*/test,test}/**/*.${kind}.test.ts`, { cwd: ROOT })) {
    names.add(basename(file, `.${kind}.test.ts`));
  }
  return [...names].toSorted();
}

/** Returns 0 on success. */
async function jest(kind: string, { long, seed }: Options, further: readonly string[]): Promise<number> {
  const env = {
    ...process.env,
    ...(long === true ? { CHAOS_LONG: "1" } : {}),
    ...(seed === undefined ? {} : { CHAOS_SEED: seed }),
  };
  const all = [...JEST, "--selectProjects", kind, "--verbose", ...further];
  const child = spawn(process.execPath, all, { cwd: ROOT, env, stdio: "inherit" });
  // A terminal sends Ctrl-C to both, anything else a signal only to this process: jest must not outlive it.
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  const wait = () => undefined;
  process.on("SIGTERM", forward).on("SIGHUP", forward).on("SIGINT", wait);
  const [code] = (await once(child, "exit")) as [number | null];
  process.off("SIGTERM", forward).off("SIGHUP", forward).off("SIGINT", wait);
  return code === 0 ? 0 : 1;
}
