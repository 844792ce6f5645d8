// An RPC server with TLS as a program of its own, from which a control removes a protection.
import { startOperatorServer } from "@cloud/runtime";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { openTlsFiles } from "../../src/index.ts";
import { startAccessServer } from "../start-access-server.ts";

const telemetry = createTelemetry({ service: "test", level: "silent" });
const { PORT, OPERATOR_PORT, TLS_PATHS = "" } = process.env;
const tls = TLS_PATHS === "" ? {} : { tls: openTlsFiles(JSON.parse(TLS_PATHS), telemetry.log) };
const { readiness } = await startAccessServer(() => ({ allowed: true }), { port: Number(PORT), telemetry, ...tls });
await startOperatorServer({ host: "127.0.0.1", port: Number(OPERATOR_PORT), readiness, telemetry });
