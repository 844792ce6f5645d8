import { runFigures, waitFor, writeReport } from "@cloud/testkit";
import { describe, expect, test } from "@jest/globals";
import { DiscardPolicy } from "nats";
import { type LinkedStage, withLinkedStage } from "./linked-records/linked-stage.ts";
import { allPublished, unappliedSequences } from "./stream-holes/published-events.ts";
import { expectSound } from "./system/expect-sound.ts";
import type { System } from "./system/start-system.ts";
import { relayChecks, STREAM, withJetStream } from "./system/with-jetstream.ts";

const PER_ROUND = 20;
const DEADLINE_MS = 60_000;

/** How messages that no consumer has received leave the stream. */
const LOSSES = {
  purged: ({ system }: LinkedStage) => withJetStream(system, async (jsm) => void (await jsm.streams.purge(STREAM))),
  deleted: async ({ system, behind }: LinkedStage) => {
    const sequences = await unappliedSequences(behind);
    await withJetStream(system, async (jsm) => {
      for (const sequence of sequences) await jsm.streams.deleteMessage(STREAM, sequence, false);
    });
  },
  "limits lowered for a moment": ({ system }: LinkedStage) =>
    withJetStream(system, async (jsm) => {
      await jsm.streams.update(STREAM, { max_msgs: 1, discard: DiscardPolicy.Old });
      await jsm.streams.update(STREAM, { max_msgs: -1 });
    }),
};
type Loss = keyof typeof LOSSES;

const ownersOf = ({ services }: System) => [...services.environment, ...services.identity];

/** Kills the consumers, deletes records, and removes their published events from the stream. */
async function lose(stage: LinkedStage, loss: Loss, owners: "running" | "restarted"): Promise<string[]> {
  const { system, behind } = stage;
  await Promise.all(system.services.workspace.map((replica) => replica.kill()));
  const ids = await stage.deleteNext(PER_ROUND);
  await waitFor(async () => (await allPublished(behind)) || undefined, { deadlineMs: DEADLINE_MS });
  if (owners === "restarted") await Promise.all(ownersOf(system).map((replica) => replica.kill()));
  await LOSSES[loss](stage);
  if (owners === "restarted") await Promise.all(ownersOf(system).map((replica) => replica.start()));
  return ids;
}

const startConsumers = ({ system }: LinkedStage) =>
  Promise.all(system.services.workspace.map((replica) => replica.start()));

const ended = (stage: LinkedStage, ids: readonly string[]) =>
  waitFor(() => stage.open(ids).length === 0 || undefined, { deadlineMs: DEADLINE_MS });

describe("21: messages are removed from the stream before a consumer receives them: none is lost or applied twice", () => {
  test("purged, deleted or dropped by limits, with owners running or restarted, two replicas of each", async () => {
    const losses = Object.keys(LOSSES) as Loss[];
    const turns = runFigures({ ci: 1, long: 5 });
    await withLinkedStage(PER_ROUND * 6 * turns, { replicas: 2 }, async (stage) => {
      const rounds: { loss: Loss; owners: string; publishedAgainMs: number }[] = [];
      for (let turn = 0; turn < turns; turn++) {
        for (const loss of losses) {
          for (const owners of ["running", "restarted"] as const) {
            const ids = await lose(stage, loss, owners);
            const lostAt = performance.now();
            await startConsumers(stage);
            await ended(stage, ids);
            rounds.push({ loss, owners, publishedAgainMs: Math.round(performance.now() - lostAt) });
          }
        }
      }
      await expectSound(stage.system, stage.behind);
      const lost = stage.open(stage.deleted()).length;
      const notOnce = await stage.notOnce();
      writeReport({ what: "stream-holes", promise: 21, rounds, deletions: stage.deleted().length, lost, notOnce });
      expect({ lost, notOnce }).toEqual({ lost: 0, notOnce: 0 });
    });
  }, 300_000);

  test("control: if a duplicate counts as published, they are lost", async () => {
    await withLinkedStage(2 * PER_ROUND, { remove: ["judgedDuplicates"] }, async (stage) => {
      const ids = await lose(stage, "purged", "running");
      const found = () =>
        ownersOf(stage.system)
          .flatMap((program) => program.log())
          .reduce((sum, { lost }) => sum + Number(lost ?? 0), 0);
      await waitFor(() => found() >= PER_ROUND || undefined, { deadlineMs: DEADLINE_MS });
      await startConsumers(stage);
      await ended(stage, await stage.deleteNext(2));
      await stage.behind.drained(DEADLINE_MS);
      const lost = stage.open(ids).length;
      writeReport({ what: "stream-holes-control-duplicates", promise: 21, deletions: ids.length, lost });
      expect(lost).toBe(PER_ROUND);
    });
  }, 120_000);

  test("control: if the relay does not check for holes, they are lost", async () => {
    await withLinkedStage(2 * PER_ROUND, { remove: ["holes"] }, async (stage) => {
      // Owners that keep running: after a reconnect a relay compares the newest events one by one anyway.
      const ids = await lose(stage, "purged", "running");
      await relayChecks(stage.system, 3 * ownersOf(stage.system).length);
      await startConsumers(stage);
      await ended(stage, await stage.deleteNext(2));
      await stage.behind.drained(DEADLINE_MS);
      const lost = stage.open(ids).length;
      writeReport({ what: "stream-holes-control", promise: 21, deletions: ids.length, lost });
      expect(lost).toBe(PER_ROUND);
    });
  }, 120_000);
});
