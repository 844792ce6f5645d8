/** What OpenTelemetry's standard variables say about traces; the exporter reads `OTEL_EXPORTER_OTLP_*` itself. */
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

export type TracesSampler = (typeof TRACES_SAMPLERS)[number];

export const TRACES_PROTOCOLS = ["http/protobuf", "http/json"] as const;

export type TracesProtocol = (typeof TRACES_PROTOCOLS)[number];
