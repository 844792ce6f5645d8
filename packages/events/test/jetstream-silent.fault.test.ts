import { join } from "node:path";
import { startServerProcess } from "@cloud/local-servers";
import { currentTestRun, testFolder, waitFor } from "@cloud/testkit";
import type { RestartableNats } from "@cloud/testkit/faults";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { appliedOnce, createStage, eventNames, type Stage } from "./messaging-stage.ts";

let stage: Stage;
let stopPlain: (() => Promise<void>) | undefined;

beforeEach(async () => {
  stage = await createStage();
});

afterEach(async () => {
  await stopPlain?.();
  stopPlain = undefined;
  await stage.close();
});

const conditions = () => stage.telemetry.conditions.list();

/** Starts a nats-server without JetStream on the port of one that was killed. */
async function startWithoutJetStream({ port, configurationFile }: RestartableNats): Promise<() => Promise<void>> {
  const server = await startServerProcess({
    command: currentTestRun().natsServer,
    args: ["--addr", "127.0.0.1", "--port", String(port), "--config", configurationFile],
    logFile: join(testFolder(), "nats.log"),
    lastSignal: "SIGTERM",
  });
  return () => server.stop("SIGTERM", 5000);
}

test("an unresponsive JetStream on a live connection is a condition until it responds", async () => {
  const { nats, transport } = await stage.startNats();
  stage.startRelay(transport);
  stage.startConsumer(transport);
  await stage.append(["before"]);
  await stage.settled(["before"]);
  await nats.kill();
  stopPlain = await startWithoutJetStream(nats);
  const names = eventNames(20);
  await stage.append(names);
  const raised = await waitFor(() => conditions()[0], { deadlineMs: 15_000 });
  expect(raised).toEqual({
    name: "jetstream-silent",
    message: "JetStream does not answer although the connection is up",
  });
  expect(await stage.metric("operator_condition")).toBe(1);
  expect(await stage.metric("messaging_connected")).toBe(1);
  await stopPlain();
  await nats.start();
  expect(await stage.settled(names)).toEqual(appliedOnce(["before", ...names]));
  await waitFor(() => conditions().length === 0 || undefined, { deadlineMs: 20_000 });
});

test("a NATS that is completely frozen is disconnected, which does not raise the condition", async () => {
  const { nats, transport } = await stage.startNats();
  stage.startRelay(transport);
  await stage.append(["before"]);
  await stage.settled([]);
  const raised: unknown[] = [];
  const { raise } = stage.telemetry.conditions;
  stage.telemetry.conditions.raise = (name, message) => {
    raised.push(name);
    raise(name, message);
  };
  nats.pause();
  await waitFor(() => (transport.isConnected() ? undefined : true), { deadlineMs: 25_000 });
  nats.resume();
  await waitFor(() => transport.isConnected() || undefined, { deadlineMs: 25_000 });
  expect(raised).toEqual([]);
}, 60_000);
