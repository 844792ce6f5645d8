import { setTimeout as delay } from "node:timers/promises";
import { ConfigError, readConfig, z } from "@cloud/config";
import { createTelemetry, describeError, type Telemetry } from "@cloud/telemetry";

/** Every program reads how much it is to log. */
type Settings = z.ZodRawShape & { readonly LOG_LEVEL: z.ZodType<string> };

export interface ProgramOptions<Shape extends Settings> {
  /** On every log line and metric. */
  readonly name: string;
  /** The environment variables that the program reads; `LOG_LEVEL` among them. */
  readonly settings: Shape;
  readonly start: (
    config: Readonly<z.output<z.ZodObject<Shape>>>,
    telemetry: Telemetry,
  ) => Promise<{ readonly url: string; leave(): void; stop(): Promise<void> }>;
  readonly process: NodeJS.Process;
}

/**
 * How long a program serves on after SIGTERM, not ready any more. Until every node has taken it out of its Service it
 * still gets new connections, and takes them: Kubernetes promises no order of the two, and seconds are usual.
 */
const lifeCycle = { LAME_DUCK_MS: z.coerce.number().int().min(0).max(60_000).default(5_000) };

/**
 * Runs a server program from its environment variables until SIGTERM or SIGINT: then it finishes what is in flight and
 * exits with 0. A bad configuration or a failed start is told in one message and exits with 1.
 */
export async function runProgram<Shape extends Settings>(options: ProgramOptions<Shape>): Promise<void> {
  const { name, process } = options;
  const { config, lameDuckMs } = configOf(options);
  const telemetry = createTelemetry({ service: name, level: String(config["LOG_LEVEL" as keyof typeof config]) });
  const { log } = telemetry;

  // Before the start: as process 1 of a container a signal without a handler does nothing, and the start may wait long.
  const signalled = Promise.withResolvers<NodeJS.Signals>();
  process.once("SIGTERM", signalled.resolve);
  process.once("SIGINT", signalled.resolve);
  const starting = options.start(config, telemetry);
  const first = await Promise.race([starting.catch(failed), signalled.promise]);
  if (typeof first === "string") {
    log.info({ signal: first }, "stopped while starting");
    return process.exit(0);
  }
  log.info({ url: first.url }, "serving");
  const signal = await signalled.promise;
  log.info({ signal }, "stopping");
  first.leave();
  // Whoever presses Ctrl-C has no balancer to wait for.
  if (signal === "SIGTERM") await delay(lameDuckMs);
  await first.stop().catch(failed);
  // Connections to peers may idle on; nobody waits for them.
  process.exit(0);

  function failed(error: unknown): never {
    log.fatal({ error: describeError(error), stack: error instanceof Error ? error.stack : undefined }, "failed");
    return process.exit(1);
  }
}

function configOf<Shape extends Settings>({ name, settings, process }: ProgramOptions<Shape>) {
  try {
    // Both at once, so that every bad variable is told.
    const all: Readonly<Record<string, unknown>> = readConfig({ ...settings, ...lifeCycle }, process.env);
    return { config: all as z.output<z.ZodObject<Shape>>, lameDuckMs: Number(all["LAME_DUCK_MS"]) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(name + ": " + error.message + "\n");
    return process.exit(1);
  }
}
