import { latenciesOf } from "@cloud/testkit/figures";
import type { Recorder } from "../harness/figures.ts";
import { interleave } from "../harness/interleave.ts";
import type { Client } from "../harness/start-client.ts";
import type { Options } from "../options.ts";
import type { GrowthRequest, GrowthSide } from "./growth-request.ts";

export interface LatencyRun extends Pick<Options, "rounds" | "seconds"> {
  readonly client: Client;
  readonly port: number;
  readonly recorder: Recorder;
}

/** Requests before the measurement; the first list of many links copies them. */
const WARM_UP = 8;
/** The least and the most requests to one side in one round. */
const [LEAST, MOST] = [3, 60];
/** A round's share of the seconds: there are about 60 requests, each of up to three sides. */
const PART_OF_SECONDS = 0.06;

/**
 * Measures the median latency of one connection for each side in turn, and its ratio to the first one's in each round.
 */
export async function measureLatencies(requests: readonly GrowthRequest[], run: LatencyRun): Promise<void> {
  for (const request of requests) {
    const counts = new Map<GrowthSide, number>();
    for (const side of request.sides) {
      const ms = await playOnce(request, side, WARM_UP, run);
      const count = Math.round((1000 * run.seconds * PART_OF_SECONDS) / ms);
      counts.set(side, Math.min(MOST, Math.max(LEAST, count)));
    }
    const measured = await interleave(request.sides, run.rounds, (side) =>
      playOnce(request, side, counts.get(side) ?? LEAST, run),
    );
    record(request, measured, run.recorder);
  }
}

function record({ what }: GrowthRequest, measured: ReadonlyMap<GrowthSide, readonly number[]>, recorder: Recorder) {
  const name = { part: "growth", what, program: "all" };
  const [[first, smallest] = [], ...others] = [...measured];
  for (const [{ name: side }, values] of measured) recorder.record({ ...name, side, unit: "ms, p50" }, values);
  for (const [{ name: side }, values] of others) {
    const ratios = values.map((value, round) => value / (smallest?.[round] ?? Number.NaN));
    recorder.record({ ...name, side: `${side} / ${first?.name}`, unit: "ratio" }, ratios);
  }
}

/** Returns the median in milliseconds. @throws Error when a response has another status */
async function playOnce({ what, status }: GrowthRequest, side: GrowthSide, count: number, run: LatencyRun) {
  const { statuses, durations } = await run.client.play({
    ports: [run.port],
    connections: 1,
    count,
    requests: side.next(count),
  });
  if (statuses[status] !== count) {
    throw new Error(`${what} of ${side.name}: ${JSON.stringify(statuses)} instead of ${status}`);
  }
  return latenciesOf(durations).p50;
}
