/** `npm run test:chaos`: the runs that break things on purpose. `--help` tells the options. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { glob } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const HELP = `Breaks the system on purpose and shows that its promises hold (docs/reliability.md). About 10 minutes.

  npm run test:chaos                        every run, with the figures of CI
  npm run test:chaos -- --only kills        runs whose file is named so; several with commas
  npm run test:chaos -- --long              20,000 mutations and 400 kills, and more of other runs
  npm run test:chaos -- --seed 42           with the chances of an earlier run, whose seed its line tells

Each run prints its figures as a line of JSON, and keeps it in reports/<run>.json and reports/chaos.jsonl.
`;

/** They measure how long things take, or start programs all the time: nothing else beside them. The others: two at once. */
const MEASURED = ["nats-outage", "black-holes", "latency", "revocation", "drain", "wipes"];

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const JEST = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning", "node_modules/jest/bin/jest.js"];

const values = readOptions();

if (typeof values === "string") {
  process.stderr.write(`${values}; --help tells the options\n`);
  process.exitCode = 2;
} else if (values.help) process.stdout.write(HELP);
else process.exitCode = await runAll(values);

interface Options {
  readonly only?: string | undefined;
  readonly long?: boolean | undefined;
  readonly seed?: string | undefined;
  readonly help?: boolean | undefined;
}

/** A text tells what is wrong with them. */
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

async function runAll(options: Options): Promise<number> {
  const began = performance.now();
  const known = await runNames();
  const wanted = options.only?.split(",") ?? known;
  const strange = wanted.filter((name) => !known.includes(name));
  if (strange.length > 0) {
    process.stderr.write(`no run is named ${strange.join(", ")}; there are ${known.join(", ")}\n`);
    return 2;
  }
  const measured = wanted.filter((name) => MEASURED.includes(name));
  const others = wanted.filter((name) => !MEASURED.includes(name));
  let failed = 0;
  if (others.length > 0) failed += await jest(options, ["--maxWorkers=2", ...others.map(fileOf)]);
  if (measured.length > 0) failed += await jest(options, ["--runInBand", ...measured.map(fileOf)]);
  const seconds = Math.round((performance.now() - began) / 1000);
  process.stdout.write(`${failed === 0 ? "every promise held" : "NOT every promise held"}; ${seconds} s\n`);
  return failed === 0 ? 0 : 1;
}

async function runNames(): Promise<string[]> {
  const names = new Set<string>();
  for await (const file of glob("{services/*,deploy/local}/test/**/*.chaos.test.ts", { cwd: ROOT })) {
    names.add(basename(file, ".chaos.test.ts"));
  }
  return [...names].toSorted();
}

function fileOf(name: string): string {
  return `/${name}\\.chaos\\.test\\.ts$`;
}

/** Answers 0 when all went well. */
async function jest({ long, seed }: Options, further: readonly string[]): Promise<number> {
  const env = {
    ...process.env,
    ...(long === true ? { CHAOS_LONG: "1" } : {}),
    ...(seed === undefined ? {} : { CHAOS_SEED: seed }),
  };
  const all = [...JEST, "--selectProjects", "chaos", "--verbose", ...further];
  const child = spawn(process.execPath, all, { cwd: ROOT, env, stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code === 0 ? 0 : 1;
}
