// An RPC server as a program of its own, which a test may block.
import { startOperatorServer } from "@cloud/runtime";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { startAccessServer } from "../start-access-server.ts";

const telemetry = createTelemetry({ service: "test", level: "silent" });
const { PORT, OPERATOR_PORT } = process.env;
const { readiness } = await startAccessServer(() => ({ allowed: true }), { port: Number(PORT), telemetry });
await startOperatorServer({ host: "127.0.0.1", port: Number(OPERATOR_PORT), readiness, telemetry });
