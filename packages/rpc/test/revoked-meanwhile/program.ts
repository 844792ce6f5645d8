// A service that asks identity who its callers are, as a program of its own, so that a control can change its source.
import { startOperatorServer } from "@cloud/runtime";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { createAuthenticator, createServiceTransport } from "../../src/index.ts";
import { startUserServer, WORKSPACE } from "../start-user-server.ts";

const telemetry = createTelemetry({ service: "test", level: "silent" });
const { PORT, OPERATOR_PORT, IDENTITY_URL = "" } = process.env;
const identity = createServiceTransport({ url: IDENTITY_URL, serviceToken: WORKSPACE });
const { readiness } = await startUserServer({ port: Number(PORT), ...createAuthenticator({ identity }), telemetry });
await startOperatorServer({ host: "127.0.0.1", port: Number(OPERATOR_PORT), readiness, telemetry });
