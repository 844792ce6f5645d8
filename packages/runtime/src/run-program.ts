import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import type { z } from "zod";
import { type Readiness, STARTING, STOPPING, startOperatorServer } from "./operator-server.ts";
import { type ProgramSettings, programSettings, tracingOptions } from "./program-settings.ts";
import { ConfigError, readConfig } from "./settings/settings.ts";
import { startTelemetry, type Telemetry } from "./telemetry/telemetry.ts";

/** Every program has a log level. */
type Settings = z.ZodRawShape & { readonly LOG_LEVEL: z.ZodType<string> };

export interface ProgramOptions<Shape extends Settings> {
  /** The program's name, added to every log line and metric. */
  readonly name: string;
  /** The environment variables that the program reads, including `LOG_LEVEL`. */
  readonly settings: Shape;
  /** The default of `OPERATOR_PORT`. */
  readonly operatorPort: number;
  readonly start: (config: Readonly<z.output<z.ZodObject<Shape>>>, telemetry: Telemetry) => Promise<RunningProgram>;
  readonly process: NodeJS.Process;
}

interface RunningProgram {
  readonly url: string;
  /** Returns whether the program can do its work. Called as often as operators ask, so it shares its checks. */
  readiness(): Promise<Readiness>;
  beginDrain(): void;
  stop(): Promise<void>;
}

/**
 * Runs a server program from its environment variables until SIGTERM or SIGINT; then it finishes requests in flight and
 * exits with 0. A bad configuration or a failed start is reported in one message, and it exits with 1.
 *
 * The operator's port opens first: a program that waits for Postgres, or migrates, is alive and reports that it is
 * starting, and no probe takes it for a dead one. The port closes last, with the process.
 */
export async function runProgram<Shape extends Settings>(options: ProgramOptions<Shape>): Promise<void> {
  const { name, process } = options;
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  const { config, own } = configOf(options);
  const telemetry = await startTelemetry({
    service: name,
    level: String(config["LOG_LEVEL" as keyof typeof config]),
    accessSample: own.ACCESS_LOG_SAMPLE,
    tracing: tracingOptions(own, name),
  });
  const { log } = telemetry;

  // Registered before the start, which may wait long: process 1 of a container ignores a signal without a handler.
  const signalled = Promise.withResolvers<NodeJS.Signals>();
  process.once("SIGTERM", signalled.resolve);
  process.once("SIGINT", signalled.resolve);
  let readiness = async () => STARTING;
  const operator = await startOperatorServer({
    host: own.OPERATOR_HOST,
    port: own.OPERATOR_PORT,
    connections: own.OPERATOR_CONNECTIONS,
    readiness: () => readiness(),
    telemetry,
  }).catch(failed);
  const starting = (async () => await options.start(config, telemetry))();
  const first = await Promise.race([starting.catch(failed), signalled.promise]);
  if (typeof first === "string") {
    log.info({ signal: first }, "stopped while starting");
    return await exit(0);
  }
  readiness = first.readiness;
  log.info({ url: first.url, operatorUrl: operator.url }, "serving");
  const signal = await signalled.promise;
  log.info({ signal }, "stopping");
  readiness = async () => STOPPING;
  first.beginDrain(); // protects: drain
  // After Ctrl-C there is no load balancer to wait for.
  if (signal === "SIGTERM") await delay(own.LAME_DUCK_MS);
  await first.stop().catch(failed);
  await telemetry.tracing?.stop();
  await exit(0);

  async function failed(error: unknown): Promise<never> {
    if (error instanceof ConfigError) return exitUnusable(options, error);
    log.fatal({ err: error }, "failed");
    return await exit(1);
  }
  /** Exits with the last lines written, and does not wait for idle connections to peers. */
  async function exit(code: number): Promise<never> {
    await telemetry.flush();
    return process.exit(code);
  }
}

/**
 * The percentage by which V8's old generation may grow before all of it is collected again. V8 derives 30 from the memory
 * limit of a pod, and 300 without a limit. Not an option of NODE_OPTIONS (ADR 39).
 */
const HEAP_GROWTH = 150;

function configOf<Shape extends Settings>({ name, settings, operatorPort, process }: ProgramOptions<Shape>) {
  try {
    // Both together, so that every bad variable is reported.
    const all: unknown = readConfig({ ...settings, ...programSettings(operatorPort) }, process.env);
    return { config: all as z.output<z.ZodObject<Shape>>, own: all as ProgramSettings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return exitUnusable({ name, process }, error);
  }
}

/** Prints the problems and exits with 1. Some are found by `start` only: variables that contradict each other. */
function exitUnusable(
  { name, process }: Pick<ProgramOptions<Settings>, "name" | "process">,
  error: ConfigError,
): never {
  process.stderr.write(name + ": " + error.message + "\n");
  return process.exit(1);
}
