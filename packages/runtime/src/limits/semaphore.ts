import { Counter, Gauge } from "prom-client";
import type { Telemetry } from "../telemetry/telemetry.ts";

export interface SemaphoreLimits {
  /** The number of permits. */
  readonly max: number;
  /** The most permits of one key; all if absent. */
  readonly maxPerKey?: number;
  /** The most callers of one key that wait for a permit; any number if absent. */
  readonly maxQueue?: number;
  /** Milliseconds to wait for a permit; any time if absent. */
  readonly maxWaitMs?: number;
  /** The error for a caller beyond the last two limits. */
  readonly refusal?: Error;
}

/** A caller that waits for a permit. */
export interface Waiter {
  /** The same key for all callers if absent. */
  readonly key?: string;
  /** Ends the wait when it is aborted; `acquire` throws its reason, also if it was aborted before. */
  readonly signal?: AbortSignal;
}

/** Returns the permit. A second call has no effect. */
export type Release = () => void;

export interface Semaphore {
  /** Resolves when there is a permit, with the function that returns it. */
  acquire(waiter?: Waiter): Promise<Release>;
  /** Runs work with a permit. */
  run<T>(work: () => Promise<T>, waiter?: Waiter): Promise<T>;
  /** Returns how many callers of a key wait. */
  waiting(key?: string): number;
}

/**
 * Creates a bound on the work that runs at the same time. A free permit goes to the key with the fewest; among equals,
 * to the key that came, or returned a permit, first; within a key, in the order of the calls. So no key waits for all
 * that another one has queued.
 */
export function createSemaphore(limits: SemaphoreLimits, metrics?: SemaphoreMetrics): Semaphore {
  const { max, maxPerKey = max, maxQueue = Number.POSITIVE_INFINITY, maxWaitMs, refusal } = limits;
  /** The keys that hold permits or wait, in the order of their next turn. */
  const lanes = new Map<string, Lane>();
  let held = 0;
  let waiting = 0;

  const mayBegin = (lane: Lane) => held < max && lane.held < maxPerKey;
  const begin = (key: string, lane: Lane): Release => {
    lanes.set(key, lane);
    lane.held++;
    held++;
    metrics?.inFlight(1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      lane.held--;
      held--;
      metrics?.inFlight(-1);
      lanes.delete(key);
      lanes.set(key, lane); // the last in turn
      if (waiting > 0) beginNext();
      dropIfIdle(key, lane);
    };
  };
  const dropIfIdle = (key: string, lane: Lane) => {
    if (lane.held === 0 && lane.waiting.size === 0) lanes.delete(key);
  };
  /** Begins at most one caller: a returned permit has room for no more. */
  const beginNext = () => {
    let next: Lane | undefined;
    for (const lane of lanes.values()) {
      if (lane.waiting.size > 0 && mayBegin(lane) && lane.held < (next?.held ?? maxPerKey)) next = lane;
    }
    for (const start of next?.waiting ?? []) return start();
  };
  const refuse = () => {
    metrics?.refused(1);
    return refusal ?? new Error("too many wait for a permit");
  };
  const wait = (key: string, lane: Lane, signal: AbortSignal | undefined) =>
    new Promise<Release>((resolve, reject) => {
      const stopWaiting = () => {
        lane.waiting.delete(start);
        waiting--;
        metrics?.waiting(-1);
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
      const start = () => {
        stopWaiting();
        resolve(begin(key, lane));
      };
      const giveUp = (error: unknown) => {
        stopWaiting();
        dropIfIdle(key, lane);
        reject(error);
      };
      const abort = () => giveUp(signal?.reason);
      const timer = maxWaitMs === undefined ? undefined : setTimeout(() => giveUp(refuse()), maxWaitMs);
      signal?.addEventListener("abort", abort);
      lane.waiting.add(start);
      waiting++;
      metrics?.waiting(1);
    });
  const acquire = async ({ key = "", signal }: Waiter = {}): Promise<Release> => {
    signal?.throwIfAborted();
    const lane = lanes.get(key) ?? { held: 0, waiting: new Set() };
    if (mayBegin(lane)) return begin(key, lane);
    if (lane.waiting.size >= maxQueue) throw refuse();
    lanes.set(key, lane);
    return await wait(key, lane, signal);
  };
  return {
    acquire,
    run: async (work, waiter) => {
      const release = await acquire(waiter);
      try {
        return await work();
      } finally {
        release();
      }
    },
    waiting: (key = "") => lanes.get(key)?.waiting.size ?? 0,
  };
}

/** The permits and waiting callers of one key. The first caller is the next to begin. */
interface Lane {
  held: number;
  readonly waiting: Set<() => void>;
}

interface SemaphoreMetrics {
  readonly inFlight: Change;
  readonly waiting: Change;
  readonly refused: Change;
}

type Change = (by: 1 | -1) => void;

/**
 * Returns the metrics `semaphore_in_flight`, `semaphore_waiting` and `semaphore_refused_total` of a semaphore. Their
 * label `work` names what it bounds; semaphores of the same work count together.
 */
export function createSemaphoreMetrics({ metrics }: Pick<Telemetry, "metrics">, work: string): SemaphoreMetrics {
  const options = { labelNames: ["work"] as const, registers: [metrics] };
  const known = <M>(name: string) => metrics.getSingleMetric(name) as M | undefined;
  const counted = (metric: Gauge<"work"> | Counter<"work">): Change => {
    metric.inc({ work }, 0);
    return (by) => metric.inc({ work }, by);
  };
  const gauge = (name: string, help: string) =>
    counted(known<Gauge<"work">>(name) ?? new Gauge({ name, help, ...options }));
  const counter = (name: string, help: string) =>
    counted(known<Counter<"work">>(name) ?? new Counter({ name, help, ...options }));
  return {
    inFlight: gauge("semaphore_in_flight", "Bounded work that runs."),
    waiting: gauge("semaphore_waiting", "Bounded work that waits for its turn."),
    refused: counter("semaphore_refused_total", "Bounded work that was refused."),
  };
}
