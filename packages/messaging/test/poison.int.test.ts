import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { type RemovedProtection, waitFor, without } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { AckPolicy, connect, nanos } from "nats";
import { listParked, replayParked } from "../src/index.ts";
import { appliedOnce, createStage, eventNames, type Stage } from "./messaging-stage.ts";

let stage: Stage;
let living: ChildProcess | undefined;

beforeEach(async () => {
  stage = await createStage();
});

afterEach(async () => {
  living?.kill("SIGKILL");
  await stage.close();
});

/** As the consumer would make it, but what it does not answer is delivered again after 300 ms instead of 10 s. */
async function makeImpatientDurable(url: string): Promise<void> {
  const nc = await connect({ servers: url });
  await (await nc.jetstreamManager()).consumers.add("CLOUD_EVENTS", {
    durable_name: "stage-cloud_v1_environment_environment_deleted",
    filter_subject: "cloud.v1.environment.environment.deleted",
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(300),
    max_ack_pending: 256,
  });
  await nc.close();
}

/** Starts the process again whenever it has ended, as Kubernetes does, until it has ended so often. */
async function die(times: number, natsUrl: string, removed: RemovedProtection[] = []): Promise<void> {
  const { preload, env } = without(removed);
  const args = [
    ...preload.flatMap((module) => ["--import", module]),
    path.join(import.meta.dirname, "poisoned-process.ts"),
  ];
  for (let death = 0; death < times; death++) {
    living = spawn(process.execPath, args, {
      env: { ...process.env, ...env, DATABASE_URL: stage.url, NATS_URL: natsUrl },
    });
    await once(living, "exit");
  }
}

const names = eventNames(40);

async function publishPoison() {
  const { nats, transport } = await stage.startNats();
  await waitFor(() => transport.readStream(), { deadlineMs: 5000 });
  await makeImpatientDurable(nats.url);
  stage.startRelay(transport);
  await stage.append([...names.slice(0, 20), "poison", ...names.slice(20)]);
  await stage.settled([]);
  return { nats, transport };
}

describe("a message that ends its process each time", () => {
  test("is parked after 5 tries, alone, and can be replayed", async () => {
    const { nats, transport } = await publishPoison();
    await die(5, nats.url);
    stage.startConsumer(transport); // it would survive, but must not try
    expect(await stage.settled(names)).toEqual(appliedOnce(names));
    const parked = await waitFor(async () => (await listParked(stage.db))[0], { deadlineMs: 10_000 });
    expect(parked).toMatchObject({
      tries: 5,
      error: "Error: the process ended in each of 5 tries to apply it",
      type: "environment.v1.EnvironmentDeleted",
    });
    expect(await listParked(stage.db)).toHaveLength(1);
    expect(await stage.metric("messaging_parked_total")).toBe(1);
    expect((await stage.db.query("select from begun_tries")).rowCount).toBe(0);

    await replayParked(stage.db, "all");
    expect(await stage.settled(["poison"])).toEqual(appliedOnce([...names, "poison"]));
  });

  test("control: without the record it ends its process for ever", async () => {
    const { nats } = await publishPoison();
    const file = "packages/messaging/src/consumer/suspect.ts";
    await die(8, nats.url, [{ file, find: "if (begun < allowed) return;", replace: "if (begun >= 0) return;" }]);
    expect(await listParked(stage.db)).toEqual([]);
  });
});
