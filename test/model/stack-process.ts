// The system in a separate process, so that it does not share a core with the test. It sends its addresses to the
// process that forked it, and ends with it.
import { randomBytes } from "node:crypto";
import { dropDatabase } from "@cloud/local-servers";
import { rolesOf, startStack } from "@cloud/local-stack";
import { PATIENT_LIMITS } from "@cloud/local-stack/test-stack";
import { testTelemetry } from "@cloud/testkit";

const { POSTGRES_URL: postgresUrl = "", NATS_URL: natsUrl = "" } = process.env;
const database = "model_" + randomBytes(6).toString("hex");
const serviceToken = randomBytes(24).toString("base64url");

const stack = await startStack({
  postgresUrl,
  database,
  natsUrlOf: () => natsUrl,
  serviceToken,
  telemetryFor: testTelemetry,
  limits: PATIENT_LIMITS,
});
process.send?.({ services: stack.services, operators: stack.operators, serviceToken });
process.once("disconnect", async () => {
  await stack.stop();
  await dropDatabase(postgresUrl, database, rolesOf(database));
});
