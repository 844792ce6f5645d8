import { createTelemetry, type Telemetry } from "@cloud/telemetry";

/**
 * Creates separate telemetry for one test, which writes no log. Without the metrics of the process, whose timers and
 * observers last as long as the process, with all modules of the test file that created them.
 */
export function testTelemetry(): Telemetry {
  return createTelemetry({ service: "test", level: "silent", processMetrics: false });
}
