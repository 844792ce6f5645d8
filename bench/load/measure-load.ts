import { latenciesOf } from "@cloud/testkit";
import { startSystem } from "../../test/chaos/system/start-system.ts";
import { bundlePrograms } from "../harness/bundle-programs.ts";
import { interleave } from "../harness/interleave.ts";
import { type Load, writeRequest } from "../harness/load.ts";
import { startClient } from "../harness/start-client.ts";
import type { Part } from "../part.ts";
import { seedRecords } from "../path/seed.ts";
import { confine, ownProcesses } from "./confine.ts";

const CONNECTIONS = 32;
const PART_OF_PEAK = 0.7;

interface Deployment {
  readonly name: string;
  /** How many cores the whole deployment has, and the client beside it. */
  readonly cores: number;
  readonly ports: readonly number[];
  readonly requests: readonly string[];
}

/** Latencies below the peak, and what a second core adds on which a second replica of every program runs. */
export const measureLoad: Part = async ({ seconds, rounds }, recorder) => {
  await using resources = new AsyncDisposableStack();
  const client = startClient();
  resources.defer(() => client.stop());
  const mainOf = await bundlePrograms();
  const common = ownProcesses();
  // A balancer is before the services of both, so that it is no difference between them.
  const deploy = async (name: string, replicas: number): Promise<Deployment> => {
    const env = { RECONCILER_INTERVAL_MS: "600000" };
    const others = ownProcesses();
    const system = await startSystem({ mainOf, replicas, gateways: replicas, proxied: ["peers"], env });
    resources.defer(() => system.stop());
    const { workspaces, tokens } = await seedRecords(system);
    await confine(
      [...ownProcesses()].filter((pid) => !others.has(pid)),
      replicas,
    );
    const requests = tokens.map((token, index) =>
      writeRequest({ method: "GET", path: `/api/workspaces/${workspaces[index]}`, token }),
    );
    return { name, cores: replicas, ports: system.gateways.map(({ port }) => port), requests };
  };
  const one = await deploy("1 replica on 1 core", 1);
  const two = await deploy("2 replicas on 2 cores", 2);

  const play = async ({ cores, ports, requests }: Deployment, count: number, perSecond?: number) => {
    await confine(common, cores);
    const load: Load = { ports, requests, connections: CONNECTIONS, count, ...(perSecond && { perSecond }) };
    const { durations, statuses, seconds: taken } = await client.play(load);
    if (statuses[200] !== count) throw new Error(`GET one: ${JSON.stringify(statuses)}`);
    return { perSecond: count / taken, latencies: latenciesOf(durations) };
  };
  const peakOf = async (deployment: Deployment) => {
    const { perSecond } = await play(deployment, Math.ceil(300 * seconds));
    return (await play(deployment, Math.ceil(perSecond * seconds))).perSecond;
  };
  await interleave([one, two], 2, peakOf); // programs that have just started compile their code
  const peaks = await interleave([one, two], rounds, peakOf);
  const [ours = [], theirs = []] = [...peaks.values()];
  const name = { part: "load", what: "GET one", program: "all" };
  recorder.record({ ...name, side: one.name, unit: "requests per second" }, ours);
  recorder.record({ ...name, side: two.name, unit: "requests per second" }, theirs);
  const ratios = theirs.map((value, round) => value / (ours[round] ?? 0));
  recorder.record({ ...name, side: `${two.name} / ${one.name}`, unit: "ratio" }, ratios);

  const below = PART_OF_PEAK * Math.min(...ours);
  const measured = [];
  for (let round = 0; round < rounds; round++) {
    measured.push((await play(one, Math.ceil(below * seconds), below)).latencies);
  }
  const what = "GET one at 70 % of the peak";
  for (const key of ["p50", "p99"] as const) {
    recorder.record(
      { ...name, what, side: one.name, program: key, unit: "ms" },
      measured.map((each) => each[key]),
    );
  }
  const tails = measured.map(({ p50, p99 }) => p99 / p50);
  recorder.record({ ...name, what, side: one.name, program: "p99 / p50", unit: "ratio" }, tails);
};
