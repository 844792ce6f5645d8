import type { Logger } from "pino";
import type { Tracing } from "./tracing.ts";
import type { TracingOptions } from "./tracing-options.ts";

/** Loads the SDK of OpenTelemetry, which takes 0.1 s and some MB, and starts it. No module of it is loaded otherwise, but for its API, which prom-client loads. */
export async function startTracing(options: TracingOptions, log: Logger): Promise<Tracing> {
  const { createOtlpTracing } = await import("./otlp-tracing.ts");
  return await createOtlpTracing(options, log);
}
