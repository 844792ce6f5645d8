import { deploy } from "./deploy.ts";
import { type LoadRun, measurePeaks } from "./load-run.ts";

const NAME = { part: "load", what: "GET one at the peak", program: "all" };

/**
 * Compares two replicas of each program on two cores with one on one. All of a deployment runs on its cores: Postgres,
 * NATS, the balancer and the client, too. With these outside, on both cores for both, a second replica added 1.18
 * times; with as many clients for both, it had half the calls at once, and added 1.53 times. Both have a balancer
 * before the services, so that it is no difference.
 */
export async function measureReplicas(run: LoadRun): Promise<void> {
  const { mainOf, recorder } = run;
  await using resources = new AsyncDisposableStack();
  const start = async (name: string, replicas: number) => {
    const deployment = await deploy({ name, replicas, mainOf, proxied: ["peers"] });
    resources.defer(() => deployment.system.stop());
    return deployment;
  };
  const sides = [await start("1 replica on 1 core", 1), await start("2 replicas on 2 cores", 2)];
  const peaks = await measurePeaks(run, sides);
  const [ours = [], theirs = []] = sides.map((side) => (peaks.get(side) ?? []).map(({ perSecond }) => perSecond));
  for (const [side, values] of [ours, theirs].entries()) {
    recorder.record({ ...NAME, side: sides[side]?.name ?? "", unit: "requests per second" }, values);
  }
  const ratios = theirs.map((value, round) => value / (ours[round] ?? 0));
  recorder.record({ ...NAME, side: "2 replicas on 2 cores / 1 on 1", unit: "ratio" }, ratios);
  for (const [side, played] of peaks) {
    for (const program of Object.keys(played[0]?.cpu ?? {})) {
      const values = played.map(({ cpu }) => cpu[program] ?? 0);
      const what = `GET one at the peak, ${side.name}`;
      recorder.record({ ...NAME, what, side: side.name, program, unit: "µs of CPU per request" }, values);
    }
  }
}
