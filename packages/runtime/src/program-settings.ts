import * as z from "zod";
import { host, httpUrl, port, whole } from "./settings/settings.ts";
import { TRACES_PROTOCOLS, TRACES_SAMPLERS, type TracingOptions } from "./telemetry/tracing.ts";

/** The environment variables that every program reads besides its own. */
export const programSettings = (operatorPort: number) => ({
  /**
   * The milliseconds for which a program keeps serving after SIGTERM while reporting not ready. Until every node has
   * removed it from its Service, it still receives new connections and must accept them: Kubernetes does not order the
   * two, and seconds are usual.
   */
  LAME_DUCK_MS: whole(0, 60_000)
    .default(5_000)
    .describe("how long the program serves on after SIGTERM, in milliseconds, while it reports not ready"),
  /** The address for the kubelet and Prometheus, not for clients. */
  OPERATOR_HOST: host().describe("the address on which `/healthz`, `/readyz` and `/metrics` are served"),
  OPERATOR_PORT: port(operatorPort).describe("their port, which is not for clients"),
  /** The most connections of operators. The kubelet and Prometheus need one each; 64 leaves room for people. */
  OPERATOR_CONNECTIONS: whole(8, 1_024).default(64).describe("connections to the operators' port"),
  /** The share of requests without an error that have a line in the log; errors have theirs at any share. */
  ACCESS_LOG_SAMPLE: share()
    .default(0.01)
    .describe(
      "the share of requests without an error that have a line in the log, which costs 8 µs. Errors have theirs at any share",
    ),
  ...tracingSettings(),
});

export type ProgramSettings = Readonly<z.output<z.ZodObject<ReturnType<typeof programSettings>>>>;

/**
 * The variables of OpenTelemetry's specification that concern traces. The SDK's exporter reads all
 * `OTEL_EXPORTER_OTLP_…` itself, those named here too, which are read here to refuse a bad value and to find out
 * whether traces are on.
 */
export const tracingSettings = () => ({
  OTEL_SDK_DISABLED: flag().default(false).describe("turns traces off, whatever else is set"),
  OTEL_TRACES_EXPORTER: z
    .enum(["otlp", "none"], { error: "must be otlp or none" })
    .optional()
    .describe("turns traces on or off; without it, an endpoint turns them on"),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl().optional().describe("the collector, without the path `/v1/traces`"),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl()
    .optional()
    .describe("the collector, with its path; counts before the other"),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol().optional().describe("how spans are encoded"),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol().optional().describe("the same; counts before the other"),
  OTEL_SERVICE_NAME: z
    .string()
    .max(255, "must have at most 255 characters")
    .optional()
    .describe("the name in the spans, in place of the program's"),
  OTEL_RESOURCE_ATTRIBUTES: resourceAttributes().optional().describe("attributes of every span"),
  OTEL_PROPAGATORS: z
    .enum(["tracecontext"], { error: "must be tracecontext" })
    .default("tracecontext")
    .describe("the header between programs"),
  OTEL_TRACES_SAMPLER: z
    .enum(TRACES_SAMPLERS, { error: `must be one of ${TRACES_SAMPLERS.join(", ")}` })
    .default("parentbased_always_on")
    .describe("which requests have a trace"),
  OTEL_TRACES_SAMPLER_ARG: share().default(1).describe("the share of the samplers with a ratio"),
  OTEL_BSP_SCHEDULE_DELAY: whole(10, 60_000).default(5_000).describe("milliseconds between two batches of spans"),
  OTEL_BSP_EXPORT_TIMEOUT: whole(100, 60_000).default(30_000).describe("milliseconds after which a batch is given up"),
  OTEL_BSP_MAX_QUEUE_SIZE: whole(1, 65_536).default(2_048).describe("spans that wait; more are dropped"),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: whole(1, 65_536).default(512).describe("spans of a batch"),
});

type Settings = Readonly<z.output<z.ZodObject<ReturnType<typeof tracingSettings>>>>;

/**
 * Returns the options of tracing; undefined while it is off: without an endpoint or exporter of OTLP, or with
 * `OTEL_SDK_DISABLED`.
 */
export function tracingOptions(settings: Settings, program: string): TracingOptions | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ofTraces } = settings;
  const hasEndpoint = endpoint !== undefined || ofTraces !== undefined;
  const exporter = settings.OTEL_TRACES_EXPORTER ?? (hasEndpoint ? "otlp" : "none");
  if (settings.OTEL_SDK_DISABLED || exporter === "none") return undefined;
  return {
    serviceName: settings.OTEL_SERVICE_NAME ?? program,
    resource: settings.OTEL_RESOURCE_ATTRIBUTES ?? {},
    sampler: settings.OTEL_TRACES_SAMPLER,
    ratio: settings.OTEL_TRACES_SAMPLER_ARG,
    protocol: settings.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? settings.OTEL_EXPORTER_OTLP_PROTOCOL ?? "http/protobuf",
    batches: {
      scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY,
      exportTimeoutMillis: settings.OTEL_BSP_EXPORT_TIMEOUT,
      maxQueueSize: settings.OTEL_BSP_MAX_QUEUE_SIZE,
      maxExportBatchSize: Math.min(settings.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, settings.OTEL_BSP_MAX_QUEUE_SIZE),
    },
  };
}

/** Parses a number from 0 to 1. */
function share() {
  const error = "must be 0 to 1";
  return z.coerce.number({ error }).min(0, error).max(1, error);
}

/** Parses `true` or `false`, in any case (the specification's booleans). */
function flag() {
  return z
    .string()
    .transform((text) => text.trim().toLowerCase())
    .pipe(z.enum(["true", "false"], { error: "must be true or false" }))
    .transform((text) => text === "true");
}

/** Parses the protocol. Refuses gRPC, which would be a second client of gRPC in each program. */
function protocol() {
  return z.enum(TRACES_PROTOCOLS, { error: `must be ${TRACES_PROTOCOLS.join(" or ")}` });
}

/** Parses `key=value` pairs, separated by commas and percent-encoded. */
function resourceAttributes() {
  const error = "must be key=value pairs, percent-encoded and separated by commas";
  return z.string().transform((text, context): Readonly<Record<string, string>> => {
    try {
      const pairs = text.split(",").map((pair) => {
        const [key = "", value, ...more] = pair.split("=").map((part) => decodeURIComponent(part.trim()));
        if (key === "" || value === undefined || more.length > 0) throw new URIError(error);
        return [key, value] as const;
      });
      return Object.fromEntries(pairs);
    } catch {
      context.addIssue(error);
      return {};
    }
  });
}
