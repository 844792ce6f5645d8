import { setTimeout as delay } from "node:timers/promises";
import { type DestinationStream, type Logger, pino } from "pino";
import { Counter, Registry } from "prom-client";
import { type AccessLog, createAccessLog, idsOf } from "./access-log.ts";
import { type Conditions, createConditions } from "./conditions.ts";
import { currentCorrelation } from "./correlation.ts";
import { collectProcessMetrics } from "./process-metrics.ts";
import type { Tracing, TracingOptions } from "./tracing.ts";

/** Logger and metrics registry, passed to every component. */
export interface Telemetry {
  /** The logger. Each line written for a request, or an event, has its id. */
  readonly log: Logger;
  /** The registry of this program, never the process-wide one, so that several programs can run in one process. */
  readonly metrics: Registry;
  /** Problems that an operator must act on although requests are served. */
  readonly conditions: Conditions;
  /** The log with a line per request; undefined if none is wanted. */
  readonly access: AccessLog | undefined;
  /** Undefined while tracing is off. */
  readonly tracing: Tracing | undefined;
  /** Resolves when the log is written, or after 3 seconds. Called before the process exits. */
  flush(): Promise<void>;
}

interface TelemetryOptions {
  /** The program's name, added to every log line and metric. */
  readonly service: string;
  /** `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. */
  readonly level: string;
  /** The stream to which log lines are written; standard output if absent. */
  readonly destination?: DestinationStream;
  /** Whether metrics of the process (CPU, memory, event loop) are collected; true if absent. */
  readonly processMetrics?: boolean;
  /** The share of requests without an error that have a line in the log, 0 to 1; no request has one if absent. */
  readonly accessSample?: number;
  /** Starts traces; they are off if absent. */
  readonly tracing?: TracingOptions | undefined;
}

/** Creates a logger of JSON lines and a registry of Prometheus metrics for one program. */
export function createTelemetry(options: Omit<TelemetryOptions, "tracing">): Telemetry {
  const { service, level, destination, processMetrics = true, accessSample } = options;
  // Replaces pid and hostname, which the platform adds to every line itself.
  const base = { service };
  const metrics = new Registry();
  // Prometheus' own labels name the target: of two labels `service`, it would rename this one to `exported_service`.
  metrics.setDefaultLabels({ program: service });
  if (processMetrics) {
    collectProcessMetrics(metrics);
  }
  const lines = {
    level,
    base,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: ["authorization", "*.authorization", "token", "*.token"],
    mixin: () => {
      const correlation = currentCorrelation();
      return correlation === undefined ? {} : idsOf(correlation);
    },
  };
  const { write, flush } = destination === undefined ? standardOutput(metrics) : outputTo(destination);
  const log = pino(lines, { write });
  const access =
    accessSample === undefined
      ? undefined
      : createAccessLog({ base, level, sample: accessSample, destination: { write }, metrics });
  return { log, metrics, conditions: createConditions(log, metrics), access, tracing: undefined, flush };
}

/**
 * Creates the telemetry of a program, with traces if they are on. Only then the SDK of OpenTelemetry is loaded, which
 * takes 0.1 s and some MB.
 */
export async function startTelemetry({ tracing, ...options }: TelemetryOptions): Promise<Telemetry> {
  const telemetry = createTelemetry(options);
  if (tracing === undefined) return telemetry;
  const { createOtlpTracing } = await import("./otlp-tracing.ts");
  return { ...telemetry, tracing: await createOtlpTracing(tracing, telemetry.log) };
}

/** A writer of lines for standard output, in their order. No call waits for the reader. */
interface Output {
  write(line: string): void;
  /** Resolves when all lines are written, or after 3 seconds, if nothing reads them. */
  flush(): Promise<void>;
}

function standardOutput(metrics: Registry): Output {
  const dropped = new Counter({
    name: "log_lines_dropped_total",
    help: "Lines that standard output did not take, because 1 MiB waited for its reader.",
    registers: [metrics],
  });
  return createOutput(process.stdout, () => dropped.inc());
}

function outputTo(destination: DestinationStream): Output {
  return { write: (line) => destination.write(line), flush: async () => undefined };
}

/**
 * Writes to a stream that does not block, such as `process.stdout`. If it is a pipe that is not read, lines beyond 1
 * MiB are dropped, and `dropped` is called for each. A synchronous write stopped the process when the pipe was full:
 * all its requests and probes waited for the reader of its log.
 */
function createOutput(stream: NodeJS.WriteStream, dropped: () => void): Output {
  // An error means that the reader is gone, or that a disk is full: the program serves on.
  if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore);
  return {
    write: (line) => {
      if (stream.writableLength < MAX_WAITING) stream.write(line);
      else dropped();
    },
    flush: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      stream.write("", () => resolve());
      await Promise.race([promise, delay(FLUSH_MS)]);
    },
  };
}

/** The most characters that wait for a reader. A pipe holds 64 KiB besides. */
const MAX_WAITING = 2 ** 20;
const FLUSH_MS = 3_000;

const ignore = () => undefined;
