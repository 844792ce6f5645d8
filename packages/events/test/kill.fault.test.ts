import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { statement } from "@cloud/postgres";
import { execute, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { appliedOnce, createStage, type Stage } from "./messaging-stage.ts";

// Leases and unacknowledged messages of dead processes expire after 10 s each.
const deadlineMs = 60_000;

let stage: Stage;
let services: ChildProcess[] = [];

beforeEach(async () => {
  stage = await createStage();
});

afterEach(async () => {
  for (const service of services) service.kill("SIGKILL");
  await stage.close();
});

test(
  "services killed ten times while they write, publish and apply lose no event and apply none twice",
  async () => {
    await execute(stage.db, statement`create table written (name text primary key)`);
    const { nats, transport } = await stage.startNats();
    const written = async () => {
      const { rows } = await stage.db.read(statement<{ name: string }>`
        select name
        from written`);
      return rows.map((row) => row.name);
    };
    const env = { ...process.env, DATABASE_URL: stage.url, NATS_URL: nats.url };
    const start = () => spawn(process.execPath, [path.join(import.meta.dirname, "service-process.ts")], { env });
    for (let round = 1; round <= 5; round++) {
      services = [start(), start()];
      const applied = Object.keys(await stage.counts()).length;
      await waitFor(async () => (Object.keys(await stage.counts()).length > applied + 100 ? true : undefined), {
        deadlineMs: 15_000,
      });
      const ended = services.map((service) => once(service, "exit"));
      for (const service of services) service.kill("SIGKILL");
      await Promise.all(ended);
    }
    stage.startRelay(transport);
    stage.startConsumer(transport);
    const names = await written();
    const counts = await waitFor(
      async () => {
        const present = await stage.counts();
        return Object.keys(present).length === names.length ? present : undefined;
      },
      { deadlineMs: 30_000 },
    );
    expect(counts).toEqual(appliedOnce(names));
  },
  deadlineMs,
);
