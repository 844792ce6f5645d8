import { createTelemetry, type Telemetry } from "@cloud/telemetry";

/** A telemetry of its own for one test, which writes no log. */
export function testTelemetry(): Telemetry {
  return createTelemetry({ service: "test", level: "silent" });
}
