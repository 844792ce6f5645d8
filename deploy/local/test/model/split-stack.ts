import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startGateway } from "@cloud/gateway";
import { currentTestRun, startTestNats, testTelemetry } from "@cloud/testkit";
import type { Demo } from "../../src/demo.ts";
import { seedDemo } from "../../src/seed-demo.ts";
import type { Stack } from "../../src/stack.ts";

const PROGRAM = join(import.meta.dirname, "stack-process.ts");

/** The whole system, seeded, on two cores: the services in a process of their own, the gateway in this one. */
export async function startSplitStack(): Promise<{ demo: Demo; stop(): Promise<void> }> {
  await using resources = new AsyncDisposableStack();
  const nats = await startTestNats();
  resources.defer(() => nats.stop());
  const env = { ...process.env, POSTGRES_URL: currentTestRun().postgresUrl, NATS_URL: nats.url };
  // Of jest's own options none is the services'.
  const child = fork(PROGRAM, { env, execArgv: [] });
  const exit = once(child, "exit");
  resources.defer(async () => {
    if (child.connected) child.disconnect();
    await exit;
  });

  const started = await Promise.race([once(child, "message"), exit]);
  const [message] = started;
  if (typeof message !== "object" || message === null) throw new Error("the services ended with " + String(message));
  const { services, serviceToken } = message as Pick<Stack, "services" | "serviceToken">;
  const { workspace: workspaceUrl, environment: environmentUrl, identity: identityUrl } = services;
  const urls = { workspaceUrl, environmentUrl, identityUrl };
  const gateway = await startGateway({ host: "127.0.0.1", port: 0, ...urls, telemetry: testTelemetry() });
  resources.defer(() => gateway.stop());
  const url = "http://127.0.0.1:" + String(gateway.port);
  const demo = await seedDemo({ gateway: url, services, serviceToken, stop: gateway.stop });

  const running = resources.move();
  return { demo, stop: () => running.disposeAsync() };
}
