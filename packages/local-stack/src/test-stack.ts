import { randomBytes } from "node:crypto";
import { dropDatabase } from "@cloud/local-servers";
import { currentTestRun, startTestNats, testTelemetry } from "@cloud/testkit";
import type { Demo } from "./demo.ts";
import { seedDemo } from "./seed-demo.ts";
import { rolesOf, type Stack, startStack } from "./stack.ts";

export interface TestStack extends Stack {
  demo: Demo;
  nats: { url: string; pid: number };
  /** Connects as superuser to the stack's database, to inspect what the services store. */
  superuserUrl: string;
}

/**
 * The whole system for one end-to-end test file: its own database in the Postgres of the jest run, its own nats-server,
 * all services on free ports, and the demo's records.
 */
export async function startTestStack(): Promise<TestStack> {
  const { postgresUrl } = currentTestRun();
  const database = `stack_${randomBytes(6).toString("hex")}`;
  const serviceToken = randomBytes(24).toString("base64url");

  await using resources = new AsyncDisposableStack();
  resources.defer(() => dropDatabase(postgresUrl, database, rolesOf(database)));
  const nats = await startTestNats();
  resources.defer(() => nats.stop());
  const stack = await startStack({
    postgresUrl,
    database,
    natsUrlOf: nats.urlOf,
    serviceToken,
    telemetryFor: testTelemetry,
  });
  resources.defer(() => stack.stop());
  const demo = await seedDemo(stack);

  const running = resources.move();
  const superuserUrl = new URL(database, postgresUrl).href;
  return { ...stack, demo, nats, superuserUrl, stop: () => running.disposeAsync() };
}
