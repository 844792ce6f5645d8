// The operator's port as a program of its own, from which a test removes a protection. Prints its port.

import { startOperatorServer } from "../src/operator-server.ts";
import { createTelemetry } from "../src/telemetry/telemetry.ts";

const { port } = await startOperatorServer({
  host: "127.0.0.1",
  port: 0,
  readiness: async () => ({ ready: true, lines: ["ready"] }),
  telemetry: createTelemetry({ service: "test", level: "silent", processMetrics: false }),
  connections: 8,
});
process.stdout.write(`${port}\n`);
