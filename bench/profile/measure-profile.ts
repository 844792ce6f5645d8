import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startSystem } from "../../test/chaos/system/start-system.ts";
import { IMAGE_ENVIRONMENT } from "../harness/image-environment.ts";
import { startClient } from "../harness/start-client.ts";
import type { Part } from "../part.ts";
import { pathContests } from "../path/contests.ts";
import { openLinks } from "../path/links.ts";
import { findShared, systemContestant } from "../path/system-contestant.ts";
import { pairsOfTenants, requestersOf, seedTenants } from "../path/tenants.ts";
import { type CpuProfile, foldStacks, type Span } from "./fold-stacks.ts";
import { plotOf } from "./plot-of.ts";
import { renderFlameGraph } from "./render-flame-graph.ts";

const PLOTS = fileURLToPath(new URL("../../docs/performance", import.meta.url));

/** As in the part `path`. */
const CONNECTIONS = 64;
/** The requests whose cost is drawn, and how often each is sent before the programs end, of a second about. */
const PROFILED = ["GET one", "assign team"];
const PROGRAMS = ["gateway", "workspace"];
/** The part of the time, at its beginning, in which a program compiles its code. */
const COMPILING = 0.3;
/** The groups of functions that are listed; the others have less than a hundredth each. */
const LISTED = 10;

/**
 * Draws where the processor time of the gateway and of the workspace service goes, as flame graphs in
 * `docs/performance`, and records the share of each package, and of the system calls, that functions have by themselves.
 * The sources run, not the bundles: their functions have the names of files.
 */
export const measureProfile: Part = async ({ seconds, rounds, small }, recorder) => {
  for (const what of PROFILED) {
    const { profiles, span } = await profile(what, small ? 0.2 : seconds * rounds);
    for (const [program, cpuProfile] of profiles) {
      const stacks = foldStacks(cpuProfile, span);
      const title = `${program}, ${what}`;
      if (!small) {
        mkdirSync(PLOTS, { recursive: true });
        writeFileSync(join(PLOTS, plotOf(title)), renderFlameGraph(title, stacks));
      }
      const groups = [...stacks.selfByGroup].sort(([, a], [, b]) => b - a).slice(0, LISTED);
      for (const [group, ms] of groups) {
        const share = (100 * ms) / stacks.root.ms;
        recorder.record({ part: "profile", what: title, side: "cloud", program: group, unit: "% of its time" }, [
          share,
        ]);
      }
    }
  }
};

interface Profiled {
  readonly profiles: ReadonlyMap<string, CpuProfile>;
  /** The time of the load, without the start of the programs. */
  readonly span: Span;
}

/** Runs the system while one kind of request is sent. */
async function profile(what: string, seconds: number): Promise<Profiled> {
  const folder = mkdtempSync(join(tmpdir(), "profiles-"));
  const pids = new Map<number, string>();
  let span: Span;
  {
    await using resources = new AsyncDisposableStack();
    const NODE_OPTIONS = `${IMAGE_ENVIRONMENT["NODE_OPTIONS"]} --cpu-prof --cpu-prof-dir=${folder}`;
    const env = { ...IMAGE_ENVIRONMENT, RECONCILER_INTERVAL_MS: "600000", NODE_OPTIONS };
    const system = await startSystem({ env });
    resources.defer(() => system.stop());
    const tenants = await seedTenants(system);
    const pairs = pairsOfTenants(tenants);
    const links = await openLinks(system.databaseUrl, pairs);
    resources.defer(() => links.close());
    const client = startClient();
    resources.defer(() => client.stop());
    const contest = pathContests(requestersOf(tenants), pairs, links).find((one) => one.what === what);
    const contestant = systemContestant(system, await findShared(system), links);
    const from = monotonicMicroseconds();
    while (contest !== undefined && monotonicMicroseconds() < from + 1e6 * seconds) {
      await contest.before?.(contestant);
      const load = { ports: [contestant.port], connections: CONNECTIONS, requests: contest.requests };
      await client.play({ ...load, count: contest.max ?? 2_000 });
    }
    span = { from: from + 1e6 * seconds * COMPILING, to: monotonicMicroseconds() };
    for (const program of system.programs) {
      pids.set(program.pid() ?? 0, program.name);
      await program.stop(); // Node writes the profile when it exits
    }
  }
  const profiles = readdirSync(folder).map((file): [string, CpuProfile] => {
    const pid = Number(/^CPU\.\d+\.\d+\.(\d+)\./.exec(file)?.[1]);
    return [pids.get(pid) ?? "", JSON.parse(readFileSync(join(folder, file), "utf8")) as CpuProfile];
  });
  return { profiles: new Map(profiles.filter(([name]) => PROGRAMS.includes(name))), span };
}

const monotonicMicroseconds = () => Number(process.hrtime.bigint() / 1_000n);
