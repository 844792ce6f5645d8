// Connects to NATS as the services do, and writes "connected" or why the login was refused.
import { testTelemetry, waitFor } from "@cloud/testkit";
import { connectNats } from "../src/nats/connect-nats.ts";

const { NATS_ACCESS = "" } = process.env;
const telemetry = testTelemetry();
const transport = connectNats({ ...JSON.parse(NATS_ACCESS), clientName: "test", telemetry });
const refusal = () => telemetry.conditions.list().find(({ name }) => name === "nats-login")?.message;
const outcome = await waitFor(() => (transport.isConnected() ? "connected" : refusal()), { deadlineMs: 30_000 });
await transport.close();
process.stdout.write(outcome);
