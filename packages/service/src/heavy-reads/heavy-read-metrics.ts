import { Counter, Gauge, type Telemetry } from "@cloud/telemetry";

export interface HeavyReadMetrics {
  readonly running: Gauge;
  readonly waiting: Gauge;
  readonly refused: Counter;
}

export function createHeavyReadMetrics({ metrics }: Telemetry): HeavyReadMetrics {
  const registers = [metrics];
  return {
    running: new Gauge({ name: "heavy_reads_in_flight", help: "Searches and deep pages that run.", registers }),
    waiting: new Gauge({ name: "heavy_reads_waiting", help: "Those that wait for their turn.", registers }),
    refused: new Counter({ name: "heavy_reads_refused_total", help: "Those that were refused.", registers }),
  };
}
