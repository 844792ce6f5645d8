import { createTelemetry, type Telemetry } from "@cloud/telemetry";

/** Creates separate telemetry for one test, which writes no log. */
export function testTelemetry(): Telemetry {
  return createTelemetry({ service: "test", level: "silent" });
}
