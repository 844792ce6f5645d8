import { type Latencies, latenciesOf } from "@cloud/testkit/figures";
import { cpuMsOf } from "../harness/cpu-time.ts";
import { microsecondsPer } from "../harness/record-contest.ts";
import type { Client } from "../harness/start-client.ts";
import { confine } from "./confine.ts";
import type { Side } from "./side.ts";

/**
 * The clients for each core. The number is the same in both deployments, so that a replica has as many calls at once:
 * work that it does for calls that arrive together costs each of them less.
 */
const CONNECTIONS_PER_CORE = 32;
/** At a rate, the requests of the first second are not measured: idle connections to Postgres have been closed. */
const LEAD_IN_SECONDS = 1;

export interface Played {
  readonly perSecond: number;
  readonly latencies: Latencies;
  /** µs of CPU per request, by program; the client and the balancer are among them. */
  readonly cpu: Readonly<Record<string, number>>;
  /** The share of the cores that all processes used, in percent. */
  readonly busy: number;
}

/** Sends `count` requests as fast as the responses arrive. */
export function playFast(client: Client, side: Side, count: number): Promise<Played> {
  return play(client, side, { count });
}

/** Sends requests at a rate, whether earlier ones have responses or not. */
export function playPaced(client: Client, side: Side, seconds: number, perSecond: number): Promise<Played> {
  const unmeasured = Math.ceil(LEAD_IN_SECONDS * perSecond);
  return play(client, side, { count: unmeasured + Math.ceil(seconds * perSecond), unmeasured, perSecond });
}

interface Sent {
  readonly count: number;
  readonly unmeasured?: number;
  readonly perSecond?: number;
}

async function play(client: Client, side: Side, sent: Sent): Promise<Played> {
  const { name, cores, ports, requests } = side;
  const { count } = sent;
  await confine([process.pid, client.pid, ...side.pids()], cores);
  const cpu = () => ({ ...side.cpu(), balancer: cpuMsOf(process.pid), client: cpuMsOf(client.pid) });
  const before = cpu();
  const load = { ports, requests, connections: CONNECTIONS_PER_CORE * cores, ...sent };
  const { durations, statuses, seconds } = await client.play(load);
  const used = microsecondsPer(count, before, cpu(), []);
  if (statuses[200] !== count) throw new Error(`${name}: ${JSON.stringify(statuses)}`);
  const busy = ((used["all"] ?? 0) * count) / (seconds * cores * 10_000);
  return { perSecond: count / seconds, latencies: latenciesOf(durations), cpu: used, busy };
}
