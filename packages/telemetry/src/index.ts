export type { Logger } from "pino";
export { Counter, Gauge, Histogram, type Registry } from "prom-client";
export type { Access, AccessLog, AppliedEvent } from "./access-log.ts";
export { causesOf, describeError, isTlsFault } from "./causes-of.ts";
export type { Condition, Conditions } from "./conditions.ts";
export {
  addCorrelation,
  type Correlation,
  type CorrelationHeaders,
  correlate,
  correlationFrom,
  currentCorrelation,
  joinCorrelations,
  requestIdFrom,
} from "./correlation.ts";
export { createDurations } from "./process-metrics.ts";
export { createTelemetry, startTelemetry, type Telemetry } from "./telemetry.ts";
export {
  inSpan,
  type Span,
  type SpanAttributes,
  type SpanKind,
  TRACES_PROTOCOLS,
  TRACES_SAMPLERS,
  type Tracing,
  type TracingOptions,
} from "./tracing.ts";
