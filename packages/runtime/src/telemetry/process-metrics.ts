import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { collectDefaultMetrics, Gauge, Histogram, type Registry } from "prom-client";

/**
 * Collects processor time, memory, files, garbage collections and, by OpenTelemetry's names, the delay and the
 * utilization of the event loop of this process, which are 0 in the first period.
 */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const { name } of registry.getMetricsAsArray()) if (REPLACED.test(name)) registry.removeSingleMetric(name);

  const gauge = (name: string, help: string) =>
    new Gauge({ name: `nodejs_eventloop_${name}`, help, registers: [registry] });
  const delays = Object.entries(PERCENTILES).map(([name, percentile]) => {
    const help = `How late timers ran in the last complete 10 seconds: ${name}.`;
    return { percentile, seconds: gauge(`delay_${name}_seconds`, help) };
  });
  const busy = "The share of the last complete 10 seconds in which the event loop was not idle, 0 to 1.";
  const utilization = gauge("utilization_ratio", busy);
  const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  delay.enable();
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    // A sample includes the period of its timer.
    for (const { percentile, seconds } of delays) {
      seconds.set(Math.max(0, delay.percentile(percentile) / 1e9 - SAMPLE_MS / 1e3));
    }
    delay.reset();
    const now = performance.eventLoopUtilization();
    utilization.set(performance.eventLoopUtilization(now, before).utilization);
    before = now;
  }, PERIOD_MS).unref();
}

/**
 * The metrics of prom-client that are left out: gauges named like counters, and an event-loop lag that each reader sets
 * back to 0 for all others.
 */
const REPLACED = /^nodejs_(active_(handles|requests|resources)_total|eventloop_lag_)/;

/** The interval with which prom-client samples no delay: the largest timer. */
const NEVER_MS = 2 ** 31 - 1;

/** Milliseconds between two samples of the delay. A sample is a timer that does nothing. */
const SAMPLE_MS = 10;
/** The period of the figures: they describe the last complete one, whichever reader asks, and however often. */
const PERIOD_MS = 10_000;

const PERCENTILES = { p50: 50, p90: 90, p99: 99, max: 100 };

interface DurationsOptions<Label extends string> {
  /** The name, which ends in `_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
  readonly registry: Registry;
}

/**
 * Creates a histogram of durations in seconds. Values of labels come from a catalogue, never from a client: each one is
 * kept.
 */
export function createDurations<Label extends string>(options: DurationsOptions<Label>): Histogram<Label> {
  const { name, help, labelNames, registry } = options;
  return new Histogram({ name, help, labelNames, buckets: BOUNDS, registers: [registry] });
}

/**
 * Upper bounds in seconds: the ones that OpenTelemetry advises for requests, and two below, because a read by id takes
 * 1 to 3 ms.
 */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
