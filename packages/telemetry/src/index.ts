export type { Logger } from "pino";
export { Counter, Gauge, Histogram, type Registry } from "prom-client";
export { causesOf } from "./causes-of.ts";
export type { Condition, Conditions } from "./conditions.ts";
export { describeError } from "./describe-error.ts";
export { isTlsFault } from "./is-tls-fault.ts";
export { createTelemetry, type Telemetry } from "./telemetry.ts";
