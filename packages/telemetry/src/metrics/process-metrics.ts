import { collectDefaultMetrics, type Registry } from "prom-client";
import { collectEventLoop } from "./event-loop.ts";

/** Of prom-client: gauges named like counters, and an event-loop lag that each reader sets back to 0 for all others. */
const REPLACED = /^nodejs_(active_(handles|requests|resources)_total|eventloop_lag_)/;

/** No delay is sampled: the largest timer. */
const NEVER_MS = 2 ** 31 - 1;

/** Collects processor time, memory, files, garbage collections and the event loop of this process. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const { name } of registry.getMetricsAsArray()) if (REPLACED.test(name)) registry.removeSingleMetric(name);
  collectEventLoop(registry);
}
