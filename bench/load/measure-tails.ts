import { fileURLToPath } from "node:url";
import { cpuMsOf, cpuMsOfTree } from "../harness/cpu-time.ts";
import { interleave } from "../harness/interleave.ts";
import { startPeer } from "../harness/start-peer.ts";
import { startChain } from "../path/chain/start-chain.ts";
import { copyForMonolith } from "../path/copy-for-monolith.ts";
import { startMonolith } from "../path/monolith/start-monolith.ts";
import { deploy } from "./deploy.ts";
import { type LoadRun, measurePeaks } from "./load-run.ts";
import { type Played, playPaced } from "./play.ts";
import type { Side } from "./side.ts";

const PART_OF_PEAK = 0.7;
const SINK = fileURLToPath(new URL("../gateway/peers/node-http-process.ts", import.meta.url));

/**
 * Measures latencies of our system, of a bare chain of three programs and of the monolith, each at 70 % of its own
 * peak; and of a server that does nothing, at our rate, which shows the latencies of client and machine. Each has one
 * core, with its client and Postgres. There is no balancer in front of one replica.
 */
export async function measureTails(run: LoadRun): Promise<void> {
  const { client, mainOf, recorder, rounds, seconds } = run;
  await using resources = new AsyncDisposableStack();
  const ours = await deploy({ name: "cloud", replicas: 1, mainOf });
  resources.defer(() => ours.system.stop());
  await copyForMonolith(ours.system.databaseUrl);
  const [monolith, sink] = [await startMonolith(ours.system.databaseUrl), await startPeer({ args: [SINK] })];
  const chain = await startChain(ours.system.databaseUrl);
  for (const peer of [monolith, sink, chain]) resources.defer(() => peer.stop());
  const besides = (name: string, port: number, cpu: Side["cpu"]): Side => ({ ...ours, name, ports: [port], cpu });
  const monolithSide = besides("monolith", monolith.port, () => ({
    monolith: cpuMsOf(monolith.pid),
    postgres: cpuMsOfTree(ours.postgres),
  }));
  const chainSide = besides("bare chain", chain.gateway.port, () => ({
    gateway: cpuMsOf(chain.gateway.pid),
    workspace: cpuMsOf(chain.workspace.pid),
    identity: cpuMsOf(chain.identity.pid),
    postgres: cpuMsOfTree(ours.postgres),
  }));
  const sinkSide = besides("sink at the rate of cloud", sink.port, () => ({ sink: cpuMsOf(sink.pid) }));

  const peaks = await measurePeaks(run, [ours, chainSide, monolithSide]);
  const peakOf = (side: Side) => median((peaks.get(side) ?? []).map(({ perSecond }) => perSecond));
  const paced = await interleave([ours, chainSide, monolithSide, sinkSide], rounds, (side) =>
    playPaced(client, side, seconds, PART_OF_PEAK * peakOf(side === sinkSide ? ours : side)),
  );
  for (const [{ name: side }, played] of paced) {
    const record = (what: string, unit: string, of: (one: Played) => number) =>
      recorder.record({ part: "load", what, side, program: "all", unit }, played.map(of));
    record("at 70 % of the peak, p50", "ms", ({ latencies }) => latencies.p50);
    record("at 70 % of the peak, p99", "ms", ({ latencies }) => latencies.p99);
    record("at 70 % of the peak, p99 / p50", "ratio", ({ latencies }) => latencies.p99 / latencies.p50);
    record("at 70 % of the peak, the core in use", "%", ({ busy }) => busy);
    record("at 70 % of the peak, CPU", "µs of CPU per request", ({ cpu }) => cpu["all"] ?? 0);
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
