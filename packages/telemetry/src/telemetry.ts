import { type DestinationStream, type Logger, pino } from "pino";
import { collectDefaultMetrics, Registry } from "prom-client";

/** What every part of a program is given to tell what it does. */
export interface Telemetry {
  readonly log: Logger;
  /** One registry per program, never the process-wide one, so that several programs can run in one process. */
  readonly metrics: Registry;
}

export interface TelemetryOptions {
  /** The program's name, on every log line and metric. */
  readonly service: string;
  /** `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. */
  readonly level: string;
  /** Where log lines go; standard output where it is absent. */
  readonly destination?: DestinationStream;
  /** Whether metrics of the process (CPU, memory, event loop) are collected; true where it is absent. */
  readonly processMetrics?: boolean;
}

/** A logger of JSON lines and a registry of Prometheus metrics for one program. */
export function createTelemetry({ service, level, destination, processMetrics = true }: TelemetryOptions): Telemetry {
  const options = {
    level,
    // Instead of pid and hostname, which the platform adds to every line by itself.
    base: { service },
    formatters: { level: (label: string) => ({ level: label }) },
    redact: ["authorization", "*.authorization", "token", "*.token"],
  };
  const metrics = new Registry();
  metrics.setDefaultLabels({ service });
  if (processMetrics) {
    collectDefaultMetrics({ register: metrics });
  }
  // Written at once: lines are few, and the last ones of a program that ends were seen to come out of their order.
  return { log: pino(options, destination ?? pino.destination({ sync: true })), metrics };
}
