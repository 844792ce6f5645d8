// The system in a process of its own, so that it does not share one core with those who test it. It answers its
// addresses to the process that forked it, and ends with it.
import { randomBytes } from "node:crypto";
import { dropDatabase } from "@cloud/local-servers";
import { testTelemetry } from "@cloud/testkit";
import { rolesOf, startStack } from "../../src/stack.ts";

const { POSTGRES_URL: postgresUrl = "", NATS_URL: natsUrl } = process.env;
const database = "model_" + randomBytes(6).toString("hex");
const serviceToken = randomBytes(24).toString("base64url");

const stack = await startStack({ postgresUrl, database, natsUrl, serviceToken, telemetryFor: testTelemetry });
process.send?.({ services: stack.services, serviceToken });
process.once("disconnect", async () => {
  await stack.stop();
  await dropDatabase(postgresUrl, database, rolesOf(database));
});
