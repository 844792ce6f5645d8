import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { sql } from "@cloud/postgres";
import { type RemovedProtection, waitFor, without } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { listParked, replayParked } from "../src/index.ts";
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
const impatience: RemovedProtection = {
  file: "packages/messaging/src/nats/topology.ts",
  find: "ackWaitMs: 10_000,",
  replace: "ackWaitMs: 1_000,",
};

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

async function publishPoison() {
  const { nats, transport } = await stage.startNats();
  stage.startRelay(transport);
  await stage.append([...names.slice(0, 20), "poison", ...names.slice(20)]);
  await stage.settled([]);
  return { nats, transport };
}

describe("a message that crashes its process each time", () => {
  test(
    "is parked after 5 attempts, alone, and can be replayed",
    async () => {
      const { nats, transport } = await publishPoison();
      const deaths = await keepAlive(nats.url, async () => (await listParked(stage.db)).length > 0);
      // Fewer on a machine so slow that the message is redelivered before its first attempt.
      expect(deaths).toBeGreaterThanOrEqual(3);
      expect(deaths).toBeLessThanOrEqual(5);
      expect(await stage.settled(names)).toEqual(appliedOnce(names)); // by a process that survives
      expect(living).toBeDefined();
      expect(await listParked(stage.db)).toEqual([
        expect.objectContaining({
          tries: 5,
          error: "Error: the process ended in each attempt to apply it, 3 times while nothing else ran",
          type: "environment.v1.EnvironmentDeleted",
        }),
      ]);
      living?.kill("SIGKILL");

      await replayParked(stage.db, "all");
      stage.startConsumer(transport);
      expect(await stage.settled(["poison"])).toEqual(appliedOnce([...names, "poison"]));
      // The record of an attempt is deleted after the transaction that the lines above saw.
      const begun = async () => (await stage.db.query(sql`select from begun_tries`)).rowCount;
      await waitFor(async () => (await begun()) === 0 || undefined, { deadlineMs: 10_000 });
    },
    deadlineMs,
  );

  test(
    "control: without the record it crashes its process indefinitely",
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
