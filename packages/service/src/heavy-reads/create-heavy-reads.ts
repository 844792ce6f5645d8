import { fail } from "@cloud/contract";
import type { Database } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { HeavyReadMetrics } from "./heavy-read-metrics.ts";
import type { HeavyReadLimits } from "./heavy-read-settings.ts";

/** A bounded share of the connections to Postgres, for reads that take long: searches and deep pages. */
export interface HeavyReads {
  /**
   * Runs a read when it is its organization's turn. Does not begin it once `signal` is aborted.
   *
   * @throws OVERLOADED if as many wait already, or if its turn does not come in time; the reason of `signal`.
   */
  run<T>(organization: string, signal: AbortSignal, read: () => Promise<T>): Promise<T>;
}

/** The database of a service's calls. Their reads that take long begin at once if `heavyReads` is absent. */
export interface ServiceDatabase extends Database {
  readonly heavyReads?: HeavyReads;
}

/** The reads of one organization. */
interface Lane {
  running: number;
  /** The first one is the next to begin. */
  readonly waiting: Set<() => void>;
}

/** One for all refusals: to create it costs more than to send it. */
const busy = fail(Reason.OVERLOADED);

/**
 * Bounds the reads that run, and those of one organization, so that it never has the whole share. Those that wait begin
 * in turn: first those of the organizations with the fewest. 16 clients that search 100,000 records would otherwise have all
 * 10 connections of the pool, and each request of another organization would wait for several searches.
 *
 * While others of its organization wait, a read keeps its place for as long again as it took, so the organization uses at
 * most half of the time of its places. What becomes of the rows takes time, too, in this program and in others
 * (docs/adr/0023-a-share-for-heavy-reads.md has the figures).
 */
export function createHeavyReads(limits: HeavyReadLimits, metrics: HeavyReadMetrics): HeavyReads {
  const { most, mostOfOne, mostWaiting, waitMs } = limits;
  /** Those with reads, in the order of their next turn. */
  const lanes = new Map<string, Lane>();
  let running = 0;

  const mayBegin = (lane: Lane) => running < most && lane.running < mostOfOne;
  const begin = (lane: Lane) => {
    lane.running++;
    metrics.running.set(++running);
  };
  const refuse = () => {
    metrics.refused.inc();
    throw busy;
  };
  const dropIfIdle = (organization: string, lane: Lane) => {
    if (lane.running === 0 && lane.waiting.size === 0 && lanes.get(organization) === lane) lanes.delete(organization);
  };
  /** Of the organizations with the fewest reads that run, the one that has waited longest for its turn. */
  const nextLane = () => {
    let best: readonly [organization: string, lane: Lane] | undefined;
    for (const entry of lanes) {
      const [, lane] = entry;
      if (lane.waiting.size > 0 && mayBegin(lane) && lane.running < (best?.[1].running ?? mostOfOne)) best = entry;
    }
    return best;
  };
  const advance = () => {
    const [organization, lane] = nextLane() ?? [];
    const [next] = lane?.waiting ?? [];
    if (organization === undefined || lane === undefined || next === undefined) return;
    lanes.delete(organization);
    lanes.set(organization, lane); // the last in turn
    begin(lane);
    next();
  };
  const waitIn = async (lane: Lane, signal: AbortSignal): Promise<void> => {
    if (lane.waiting.size >= mostWaiting) refuse();
    const turn = Promise.withResolvers<"begun" | "left" | "late">();
    const settle = (outcome: "begun" | "left" | "late") => {
      lane.waiting.delete(start);
      turn.resolve(outcome);
    };
    const start = () => settle("begun");
    const leave = () => settle("left");
    const late = setTimeout(settle, waitMs, "late");
    signal.addEventListener("abort", leave, { once: true });
    lane.waiting.add(start);
    metrics.waiting.inc();
    const outcome = await turn.promise;
    metrics.waiting.dec();
    clearTimeout(late);
    signal.removeEventListener("abort", leave);
    if (outcome === "left") throw signal.reason;
    if (outcome === "late") refuse();
  };
  const endIn = (lane: Lane, organization: string) => {
    lane.running--;
    metrics.running.set(--running);
    advance();
    dropIfIdle(organization, lane);
  };
  return {
    async run(organization, signal, read) {
      signal.throwIfAborted();
      const lane = lanes.get(organization) ?? { running: 0, waiting: new Set() };
      lanes.set(organization, lane);
      try {
        if (mayBegin(lane)) begin(lane);
        else await waitIn(lane, signal);
      } catch (error) {
        dropIfIdle(organization, lane);
        throw error;
      }
      const began = performance.now();
      try {
        return await read();
      } finally {
        const end = () => endIn(lane, organization);
        if (lane.waiting.size > 0) setTimeout(end, performance.now() - began).unref();
        else end();
      }
    },
  };
}
