import { type Correlation, correlate, currentCorrelation } from "./correlation.ts";

/** The kinds of OpenTelemetry. */
export type SpanKind = "server" | "client" | "producer" | "consumer" | "internal";

/**
 * Attributes by the names of OpenTelemetry's semantic conventions. They contain nothing that clients write, except ids
 * of requests.
 */
type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Span {
  /** The parent of all that the span causes, here and in other programs. */
  readonly correlation: Correlation;
  /** `fault` is the reason of an error that is not the caller's; `name` replaces that of the start. */
  end(attributes?: SpanAttributes, fault?: string, name?: string): void;
}

/** Creates the spans of one program. It exists only while tracing is on. */
export interface Tracing {
  /** Begins a span below that of `parent`; without one, or for several, it begins a trace. */
  start(name: string, kind: SpanKind, parent: Correlation | undefined, attributes?: SpanAttributes): Span;
  /** Sends what is waiting, for at most 2 s. */
  stop(): Promise<void>;
}

/** Runs work as a span of the current request. */
export async function inSpan<T>(
  tracing: Tracing,
  span: { readonly name: string; readonly kind: SpanKind; readonly attributes?: SpanAttributes },
  work: () => Promise<T>,
): Promise<T> {
  const { correlation, end } = tracing.start(span.name, span.kind, currentCorrelation(), span.attributes);
  try {
    const result = await correlate(correlation, work);
    end();
    return result;
  } catch (error) {
    end({}, error instanceof Error ? error.name : "error");
    throw error;
  }
}

/**
 * The settings of traces, from OpenTelemetry's standard variables; the exporter reads `OTEL_EXPORTER_OTLP_*` itself.
 */
export interface TracingOptions {
  /** `OTEL_SERVICE_NAME`; the program's name if absent. */
  readonly serviceName: string;
  /** `OTEL_RESOURCE_ATTRIBUTES` */
  readonly resource: Readonly<Record<string, string>>;
  /** `OTEL_TRACES_SAMPLER` */
  readonly sampler: TracesSampler;
  /** `OTEL_TRACES_SAMPLER_ARG`, 0 to 1. */
  readonly ratio: number;
  /** `OTEL_EXPORTER_OTLP_PROTOCOL` */
  readonly protocol: TracesProtocol;
  /** `OTEL_BSP_*` */
  readonly batches: {
    readonly scheduledDelayMillis: number;
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
    readonly exportTimeoutMillis: number;
  };
}

export const TRACES_SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

type TracesSampler = (typeof TRACES_SAMPLERS)[number];

export const TRACES_PROTOCOLS = ["http/protobuf", "http/json"] as const;

type TracesProtocol = (typeof TRACES_PROTOCOLS)[number];
