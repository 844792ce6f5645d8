import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { type RemovedProtection, waitFor, without } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { AckPolicy, connect, nanos } from "nats";
import { listParked, replayParked } from "../src/index.ts";
import { appliedOnce, createStage, eventNames, type Stage } from "./messaging-stage.ts";

// A process starts in 0.4 s; on a machine that has much else to do, in seconds.
const deadlineMs = 90_000;

let stage: Stage;
let living: ChildProcess | undefined;

beforeEach(async () => {
  stage = await createStage();
});

afterEach(async () => {
  living?.kill("SIGKILL");
  await stage.close();
});

/** As the consumer would make it, but what it does not answer is delivered again after 1 s instead of 10 s. */
async function makeImpatientDurable(url: string): Promise<void> {
  const nc = await connect({ servers: url });
  await (await nc.jetstreamManager()).consumers.add("CLOUD_EVENTS", {
    durable_name: "stage-cloud_v1_environment_environment_deleted",
    filter_subject: "cloud.v1.environment.environment.deleted",
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(1000),
    max_ack_pending: 256,
  });
  await nc.close();
}

/** Starts the process again whenever it has ended, as Kubernetes does, until `enough`. Answers how often it ended. */
async function keepAlive(
  natsUrl: string,
  enough: (deaths: number) => Promise<boolean>,
  removed: RemovedProtection[] = [],
) {
  const { preload, env } = without(removed);
  const main = path.join(import.meta.dirname, "poisoned-process.ts");
  const args = [...preload.flatMap((module) => ["--import", module]), main];
  let deaths = 0;
  const start = () => {
    living = spawn(process.execPath, args, {
      env: { ...process.env, ...env, DATABASE_URL: stage.url, NATS_URL: natsUrl },
    }).once("exit", () => {
      deaths++;
      living = undefined;
    });
  };
  const look = async () => {
    if (await enough(deaths)) return true;
    if (living === undefined) start();
    return undefined;
  };
  await waitFor(look, { deadlineMs });
  return deaths;
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
  test(
    "is parked after 5 tries, alone, and can be replayed",
    async () => {
      const { nats, transport } = await publishPoison();
      const deaths = await keepAlive(nats.url, async () => (await listParked(stage.db)).length > 0);
      // Fewer where the machine is so slow that the message comes again before its first try.
      expect(deaths).toBeGreaterThanOrEqual(3);
      expect(deaths).toBeLessThanOrEqual(5);
      expect(await stage.settled(names)).toEqual(appliedOnce(names)); // by a process that lives
      expect(living).toBeDefined();
      expect(await listParked(stage.db)).toEqual([
        expect.objectContaining({
          tries: 5,
          error: "Error: the process ended in each try to apply it, 3 times with nothing beside it",
          type: "environment.v1.EnvironmentDeleted",
        }),
      ]);
      living?.kill("SIGKILL");

      await replayParked(stage.db, "all");
      stage.startConsumer(transport);
      expect(await stage.settled(["poison"])).toEqual(appliedOnce([...names, "poison"]));
      expect((await stage.db.query("select from begun_tries")).rowCount).toBe(0);
    },
    deadlineMs,
  );

  test(
    "control: without the record it ends its process for ever",
    async () => {
      const { nats } = await publishPoison();
      const file = "packages/messaging/src/consumer/suspect.ts";
      const removed = [{ file, find: "if (begun < allowed) return;", replace: "if (begun >= 0) return;" }];
      await keepAlive(nats.url, async (deaths) => deaths === 8, removed);
      expect(await listParked(stage.db)).toEqual([]);
    },
    deadlineMs,
  );
});
