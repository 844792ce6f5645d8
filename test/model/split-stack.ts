import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startGateway } from "@cloud/gateway";
import type { Demo, Stack } from "@cloud/local-stack";
import { seedDemo } from "@cloud/local-stack";
import { PATIENT_LIMITS } from "@cloud/local-stack/test-stack";
import { currentTestRun, startTestNats, testTelemetry } from "@cloud/testkit";

const PROGRAM = join(import.meta.dirname, "stack-process.ts");

/** Starts the whole system, seeded, on two cores: the services in a separate process, the gateway in this one. */
export async function startSplitStack(): Promise<{ demo: Demo; stop(): Promise<void> }> {
  await using resources = new AsyncDisposableStack();
  const nats = await startTestNats();
  resources.defer(() => nats.stop());
  const env = { ...process.env, POSTGRES_URL: currentTestRun().postgresUrl, NATS_URL: nats.url };
  // The services get none of jest's own options.
  const child = fork(PROGRAM, { env, execArgv: [] });
  const exit = once(child, "exit");
  resources.defer(async () => {
    if (child.connected) child.disconnect();
    await exit;
  });

  const started = await Promise.race([once(child, "message"), exit]);
  const [message] = started;
  if (typeof message !== "object" || message === null) throw new Error("the services ended with " + String(message));
  const { services, operators, serviceToken } = message as Pick<Stack, "services" | "operators" | "serviceToken">;
  const { workspace: workspaceUrl, environment: environmentUrl, identity: identityUrl } = services;
  const urls = { workspaceUrl, environmentUrl, identityUrl };
  const { server: limits, requestDeadlineMs } = PATIENT_LIMITS;
  const telemetry = testTelemetry();
  const gateway = await startGateway({ host: "127.0.0.1", port: 0, ...urls, limits, requestDeadlineMs, telemetry });
  resources.defer(() => gateway.stop());
  const url = "http://127.0.0.1:" + String(gateway.port);
  const demo = await seedDemo({ gateway: url, services, operators, serviceToken });

  const running = resources.move();
  return { demo, stop: () => running.disposeAsync() };
}
