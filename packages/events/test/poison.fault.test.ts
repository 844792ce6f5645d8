import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { type RemovedProtection, waitFor, without } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { listParked, replayParked } from "../src/parked-messages.ts";
import { appliedOnce, createStage, eventNames, type Stage } from "./messaging-stage.ts";

// A process starts in 0.4 s; on a busy machine, in seconds.
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

/** Reduces a process's ack wait from 10 s to 1 s, after which unacknowledged messages are redelivered. */
const impatience: RemovedProtection = { marker: "ack-wait", instead: "ackWaitMs: 1_000," };

/** Restarts the process whenever it has ended, as Kubernetes does, until `enough`. Returns how often it ended. */
async function keepAlive(
  natsUrl: string,
  enough: (deaths: number) => Promise<boolean>,
  removed: RemovedProtection[] = [],
) {
  const { preload, env } = without([impatience, ...removed]);
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

/** Publishes the poison behind `before` of the good events. */
async function publishPoison(before = 20) {
  const { nats, transport } = await stage.startNats();
  stage.startRelay(transport);
  await stage.append([...names.slice(0, before), "poison", ...names.slice(before)]);
  await stage.settled([]);
  return { nats, transport };
}

describe("a message that crashes its process each time", () => {
  // Acknowledged messages that nats-server 2.9 delivers again are the last ones of the stream.
  test.each([20, 40])(
    "is parked at its tenth delivery, alone, and can be replayed: behind %i of 40 events",
    async (before) => {
      const { nats, transport } = await publishPoison(before);
      const deaths = await keepAlive(nats.url, async () => (await listParked(stage.db)).length > 0);
      expect(deaths).toBe(9);
      await stage.append(["after"]);
      const good = [...names, "after"];
      expect(await stage.settled(good)).toEqual(appliedOnce(good)); // by a process that survives
      expect(living).toBeDefined();
      expect(await listParked(stage.db)).toEqual([
        expect.objectContaining({
          tries: 10,
          error: "the process ended, or lost its connection to NATS, in each attempt to apply it",
          type: "environment.v1.EnvironmentDeleted",
        }),
      ]);
      living?.kill("SIGKILL");

      await replayParked(stage.db, "all");
      stage.startConsumer(transport);
      expect(await stage.settled(["poison"])).toEqual(appliedOnce([...good, "poison"]));
    },
    deadlineMs,
  );

  test(
    "control: without the limit it crashes its process indefinitely",
    async () => {
      const { nats } = await publishPoison();
      await keepAlive(nats.url, async (deaths) => deaths === 12, [limit(1_000)]);
      expect(await listParked(stage.db)).toEqual([]);
    },
    deadlineMs,
  );

  test(
    "control: taken with others, it is parked with those behind it",
    async () => {
      const { nats } = await publishPoison(0);
      const together = { marker: "one-by-one" };
      await keepAlive(nats.url, async () => (await listParked(stage.db)).length > 1, [limit(4), together]);
    },
    deadlineMs,
  );
});

/** Another limit of deliveries: of a thousand none is reached, and a smaller one is reached sooner. */
const limit = (deliveries: number): RemovedProtection => ({
  marker: "most-deliveries",
  instead: `const MAX_DELIVERIES = ${deliveries};`,
});
