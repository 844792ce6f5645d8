import { type DestinationStream, type Logger, pino } from "pino";
import { collectDefaultMetrics, Registry } from "prom-client";
import { type Conditions, createConditions } from "./conditions.ts";

/** Logger and metrics registry, passed to every component. */
export interface Telemetry {
  readonly log: Logger;
  /** One registry per program, never the process-wide one, so that several programs can run in one process. */
  readonly metrics: Registry;
  /** Problems that an operator must act on although requests are served. */
  readonly conditions: Conditions;
}

export interface TelemetryOptions {
  /** The program's name, added to every log line and metric. */
  readonly service: string;
  /** `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. */
  readonly level: string;
  /** Where log lines are written; standard output if absent. */
  readonly destination?: DestinationStream;
  /** Whether metrics of the process (CPU, memory, event loop) are collected; true if absent. */
  readonly processMetrics?: boolean;
}

/** Creates a logger of JSON lines and a registry of Prometheus metrics for one program. */
export function createTelemetry({ service, level, destination, processMetrics = true }: TelemetryOptions): Telemetry {
  const options = {
    level,
    // Replaces pid and hostname, which the platform adds to every line itself.
    base: { service },
    formatters: { level: (label: string) => ({ level: label }) },
    redact: ["authorization", "*.authorization", "token", "*.token"],
  };
  const metrics = new Registry();
  metrics.setDefaultLabels({ service });
  if (processMetrics) {
    collectDefaultMetrics({ register: metrics });
  }
  // Synchronous: lines are few, and the last ones of a program that exits were seen out of order otherwise.
  const log = pino(options, destination ?? pino.destination({ sync: true }));
  return { log, metrics, conditions: createConditions(log, metrics) };
}
