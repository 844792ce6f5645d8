// An RPC server as a program of its own, whose handler takes 6 s: longer than a peer may be silent.
import { setTimeout as delay } from "node:timers/promises";
import { startOperatorServer } from "@cloud/program";
import { createTelemetry } from "@cloud/telemetry";
import { startAccessServer } from "../start-access-server.ts";

const telemetry = createTelemetry({ service: "test", level: "silent" });
const { PORT, OPERATOR_PORT } = process.env;
const checkAccess = async () => {
  await delay(6_000);
  return { allowed: true };
};
const { readiness } = await startAccessServer(checkAccess, { port: Number(PORT), telemetry });
await startOperatorServer({ host: "127.0.0.1", port: Number(OPERATOR_PORT), readiness, telemetry });
