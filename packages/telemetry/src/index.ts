export type { Logger } from "pino";
export { Counter, Gauge, Histogram, type Registry } from "prom-client";
export { describeError } from "./describe-error.ts";
export { createTelemetry, type Telemetry } from "./telemetry.ts";
