import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connectToNats, type Program, testFolder, waitFor } from "@cloud/testkit";
import { writeReport } from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import type { Protection } from "./controls.ts";
import { mountSmallDisk } from "./jetstream-silent/small-disk.ts";
import { type SilenceableNats, startNatsIn } from "./jetstream-silent/start-nats-in.ts";
import { type LinkedStage, withLinkedStage } from "./linked-records/linked-stage.ts";
import { expectSound } from "./system/expect-sound.ts";
import { readConditions } from "./system/read-conditions.ts";
import { readMetric } from "./system/read-metric.ts";

const DELETIONS = 20;
const DEADLINE_MS = 30_000;
const DISK_MIB = 48;
const CONDITION = "jetstream-silent: JetStream does not answer although the connection is up";

interface SilentStage extends LinkedStage {
  readonly nats: SilenceableNats;
}

async function withSilentStage(
  storeFolder: string,
  remove: readonly Protection[],
  run: (stage: SilentStage) => Promise<void>,
): Promise<void> {
  const nats = await startNatsIn(storeFolder);
  await withLinkedStage(4 * DELETIONS, { remove, nats: async () => nats }, (stage) => run({ ...stage, nats }));
}

const servicesOf = ({ system }: LinkedStage): Program[] => Object.values(system.services).flat();

const shown = (stage: LinkedStage, lines: readonly string[]) =>
  waitFor(
    async () => {
      const all = await Promise.all(servicesOf(stage).map(readConditions));
      return all.every((own) => JSON.stringify(own) === JSON.stringify(lines)) || undefined;
    },
    { deadlineMs: DEADLINE_MS },
  );

const ended = (stage: LinkedStage, ids: readonly string[]) =>
  waitFor(() => stage.open(ids).length === 0 || undefined, { deadlineMs: DEADLINE_MS });

/**
 * Checks what is reported to the operator while JetStream is silent, and that it clears once the server is restarted.
 */
async function expectNamed(stage: SilentStage, why: string, silentSince: number): Promise<void> {
  const [environment] = stage.system.services.environment;
  await shown(stage, [CONDITION]);
  const shownMs = Math.round(performance.now() - silentSince);
  const ids = await stage.deleteNext(DELETIONS); // all 204: requests need Postgres only
  const metric = await readMetric(environment, "operator_condition", { condition: "jetstream-silent" });
  const errors = environment.log().filter(({ level, condition }) => level === "error" && condition !== undefined);

  await stage.nats.kill();
  await stage.nats.start();
  const restartedAt = performance.now();
  await shown(stage, []);
  await ended(stage, ids);
  const endedMs = Math.round(performance.now() - restartedAt);
  await expectSound(stage.system, stage.databases);
  const [lost, notOnce] = [stage.open(stage.deleted()).length, await stage.notOnce()];
  const deletions = stage.deleted().length;
  writeReport({
    what: "jetstream-silent",
    promise: 27,
    why,
    shownMs,
    endedMs,
    deletions,
    errors: errors.length,
    lost,
    notOnce,
  });
  expect(metric).toBe(1);
  expect(errors.map(({ msg }) => msg)).toEqual(["JetStream does not answer although the connection is up"]);
  expect({ lost, notOnce }).toEqual({ lost: 0, notOnce: 0 });
}

/** Publishes on a subject without consumers until the server stops responding. */
async function fillStream(url: string): Promise<void> {
  const connection = await connectToNats(url);
  try {
    const jetStream = connection.jetstream();
    const payload = new Uint8Array(256 * 1024);
    const fill = () => jetStream.publish("cloud.v1.chaos.filler.filled", payload, { timeout: 1000 });
    await waitFor(
      () =>
        fill().then(
          () => undefined,
          () => true,
        ),
      { deadlineMs: DEADLINE_MS },
    );
  } finally {
    await connection.close();
  }
}

/** Fills the disk for a moment: the server disables JetStream until it is restarted. */
async function fillDisk(stage: SilentStage, ballast: string): Promise<void> {
  await ended(stage, await stage.deleteNext(2));
  await writeFile(ballast, new Uint8Array((DISK_MIB - 16) * 1024 * 1024));
  await fillStream(stage.nats.url);
  const fullSince = performance.now();
  await rm(ballast);
  await expectNamed(stage, "its disk was full", fullSince);
}

/** Used if no small disk can be mounted, as without root. */
async function startWithout(stage: SilentStage): Promise<void> {
  await ended(stage, await stage.deleteNext(2));
  await stage.nats.kill();
  await stage.nats.startWithoutJetStream();
  await expectNamed(stage, "started without JetStream", performance.now());
}

describe("27: a silent JetStream on a live connection is reported, and requests do not need it", () => {
  const mountable =
    "its disk was full, and JetStream stays disabled though there is room again; or it was started without";
  test(mountable, async () => {
    const disk = await mountSmallDisk(DISK_MIB);
    if (disk === undefined) return withSilentStage(testFolder(), [], startWithout);
    await using resources = new AsyncDisposableStack();
    resources.defer(() => disk.remove());
    await withSilentStage(disk.folder, [], (stage) => fillDisk(stage, join(disk.folder, "ballast")));
  }, 180_000);

  test("control: if the silence is not detected, no operator is notified", async () => {
    await withSilentStage(testFolder(), ["jetStreamSilence"], async (stage) => {
      await stage.nats.kill();
      await stage.nats.startWithoutJetStream();
      await stage.deleteNext(2);
      const [environment] = stage.system.services.environment;
      const failures = () =>
        environment.log().filter(({ msg }) => msg === "events could not be published; they stay in the outbox").length;
      // There is one failure a second in the end: 14 take longer than the 5 s after which the outage would be reported.
      await waitFor(() => failures() >= 14 || undefined, { deadlineMs: DEADLINE_MS });
      const conditions = (await Promise.all(servicesOf(stage).map(readConditions))).flat();
      writeReport({ what: "jetstream-silent-control", promise: 27, failures: failures(), conditions });
      expect(conditions).toEqual([]);
    });
  }, 120_000);
});
