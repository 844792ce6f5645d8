/** `npm run bench`: measures the programs beside others that do the same. `--help` describes the options. */
import { startTestServers, stopTestServers } from "@cloud/testkit";
import { measureAblations } from "./ablate/measure-ablations.ts";
import { digestOf } from "./document/sources.ts";
import { writeDocument } from "./document/write-document.ts";
import { measureGateway } from "./gateway/measure-gateway.ts";
import { measureGrowth } from "./growth/measure-growth.ts";
import { createRecorder, currentCommit, machineLoad, measureCore } from "./harness/figures.ts";
import { becomesQuiet, QUIET } from "./harness/quiet.ts";
import { measureLoad } from "./load/measure-load.ts";
import { type Options, readOptions } from "./options.ts";
import type { Part } from "./part.ts";
import { measurePath } from "./path/measure-path.ts";
import { measureProfile } from "./profile/measure-profile.ts";
import { measureRelay } from "./relay/measure-relay.ts";
import { measureRpc } from "./rpc/measure-rpc.ts";
import { measureStart } from "./start/measure-start.ts";
import { measureWatch } from "./watch/measure-watch.ts";

const PARTS: Readonly<Record<string, Part>> = {
  gateway: measureGateway,
  path: measurePath,
  rpc: measureRpc,
  relay: measureRelay,
  start: measureStart,
  load: measureLoad,
  growth: measureGrowth,
  watch: measureWatch,
  profile: measureProfile,
};

const print = (line: string) => void process.stdout.write(`${line}\n`);

/** The part that is measured only by name: it takes an hour. */
const NAMED: Readonly<Record<string, Part>> = { ablate: measureAblations };

const HELP = `Measures the processor time of the programs beside others that do the same work (docs/performance.md).

  npm run bench                           every part: ${Object.keys(PARTS).join(", ")}
  npm run bench -- path gateway           some of them
  npm run bench -- --seconds 10           about how long each contestant is measured in one round; 3 if absent
  npm run bench -- --rounds 11            interleaved rounds; 7 if absent
  npm run bench -- --now                  does not wait for a quiet machine
  npm run bench -- --small                seconds a part: shows that it works, and its figures mean nothing
  npm run bench -- ablate                 what each mechanism for speed saves, about 4 minutes for each; not part of "every"
  npm run bench -- ablate --only "ADR 3"  one of them, by a part of its name
  npm run bench -- growth --long          a log of 10,000,000 lines, a purge of 1,000,000, a deletion of 100,000 records
  npm run bench -- --document             measures nothing; writes the last figures into docs/performance.md

It needs Linux, which counts the processor time of each process in /proc.

Each part waits up to 5 minutes for a load average below ${QUIET}. Parts that did not see one are listed at the end, to be repeated.
Each figure is printed as a line of JSON and appended to reports/bench.jsonl: the median of the rounds, with quartiles.
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = readOptions(args, Object.keys(PARTS), Object.keys(NAMED));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}; --help describes the options\n`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (options.document) {
    writeDocument();
    return 0;
  }
  // The servers do not keep this process running: without a timer it would exit while it waits for one of them.
  const running = setInterval(() => undefined, 60_000);
  await startTestServers();
  try {
    const disturbed = await measureParts(options);
    if (disturbed.length > 0) print(`# began at a load above ${QUIET}: npm run bench -- ${disturbed.join(" ")}`);
  } finally {
    await stopTestServers();
    clearInterval(running);
  }
  return 0;
}

/** Measures each part on a quiet machine. Returns the parts that began on one that did not become quiet. */
async function measureParts(options: Options): Promise<string[]> {
  const { small, now } = options;
  const commit = currentCommit();
  const disturbed: string[] = [];
  for (const part of options.parts) {
    if (!now && !(await becomesQuiet(print))) disturbed.push(part);
    const circumstances = { small, commit, machineLoad: machineLoad(), coreMs: measureCore(), code: digestOf(part) };
    const { machineLoad: load, coreMs } = circumstances;
    print(`# ${part}: the load average is ${load}; a core takes ${coreMs} ms for 100,000 rounds of SHA-512`);
    await { ...PARTS, ...NAMED }[part]?.(options, createRecorder(circumstances, print));
  }
  return disturbed;
}
