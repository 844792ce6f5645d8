export type { Logger } from "pino";
export { Counter, Gauge, Histogram, type Registry } from "prom-client";
export type { Access } from "./access-log.ts";
export type { Condition, Conditions } from "./conditions.ts";
export {
  addCorrelation,
  type Correlation,
  correlate,
  correlationFrom,
  currentCorrelation,
  joinCorrelations,
} from "./correlation.ts";
export { countBody } from "./count-body.ts";
export { createDurations } from "./process-metrics.ts";
export { createTelemetry, type Telemetry } from "./telemetry.ts";
export { inSpan, type Span, type Tracing } from "./tracing.ts";
