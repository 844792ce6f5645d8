export type { Logger } from "pino";
export { Counter, Gauge, Histogram, type Registry } from "prom-client";
export type { Access, AccessLog, AppliedEvent } from "./access/access-log.ts";
export { causesOf } from "./causes-of.ts";
export type { Condition, Conditions } from "./conditions.ts";
export {
  type Correlation,
  type CorrelationHeaders,
  correlate,
  correlationFrom,
  currentCorrelation,
  joinCorrelations,
  requestIdFrom,
} from "./correlation/correlation.ts";
export { describeError } from "./describe-error.ts";
export { isTlsFault } from "./is-tls-fault.ts";
export { createDurations } from "./metrics/durations.ts";
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
} from "./tracing/tracing.ts";
