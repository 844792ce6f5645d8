import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { Gauge, type Registry } from "prom-client";

/** How often the delay is sampled. A sample is a timer that does nothing. */
const SAMPLE_MS = 10;
/** What the figures describe: the last complete one of these periods, whoever reads them and how often. */
const PERIOD_MS = 10_000;

/** Collects the delay and the utilization of the event loop, by OpenTelemetry's names. */
export function collectEventLoop(registry: Registry): void {
  const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  delay.enable();
  const seconds = () => {
    // A sample includes the period of its timer.
    const of = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - SAMPLE_MS / 1e3);
    if (delay.count === 0) return { p50: 0, p90: 0, p99: 0, max: 0 };
    return {
      p50: of(delay.percentile(50)),
      p90: of(delay.percentile(90)),
      p99: of(delay.percentile(99)),
      max: of(delay.max),
    };
  };
  let utilization = performance.eventLoopUtilization();
  let share = utilization.utilization;
  let last: ReturnType<typeof seconds> | undefined;
  setInterval(() => {
    last = seconds();
    delay.reset();
    const now = performance.eventLoopUtilization();
    share = performance.eventLoopUtilization(now, utilization).utilization;
    utilization = now;
  }, PERIOD_MS).unref();

  for (const name of ["p50", "p90", "p99", "max"] as const) {
    new Gauge({
      name: `nodejs_eventloop_delay_${name}_seconds`,
      help: `How late timers ran in the last complete 10 seconds: ${name}.`,
      registers: [registry],
      collect() {
        this.set((last ?? seconds())[name]);
      },
    });
  }
  new Gauge({
    name: "nodejs_eventloop_utilization_ratio",
    help: "The share of the last complete 10 seconds in which the event loop was not idle, 0 to 1.",
    registers: [registry],
    collect() {
      this.set(share);
    },
  });
}
