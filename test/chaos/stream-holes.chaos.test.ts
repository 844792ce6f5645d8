import { waitFor } from "@cloud/testkit";
import { runFigures, writeReport } from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import { DiscardPolicy } from "nats";
import { type LinkedStage, withLinkedStage } from "./linked-records/linked-stage.ts";
import { allPublished, unappliedSequences } from "./stream-holes/published-events.ts";
import { expectSound } from "./system/expect-sound.ts";
import { reconcilerPasses } from "./system/reconciler-passes.ts";
import type { System } from "./system/start-system.ts";
import { STREAM, withJetStream } from "./system/with-jetstream.ts";

const PER_ROUND = 20;
const DEADLINE_MS = 60_000;

/** How messages after the sequence `since`, which no consumer has received, leave the stream. */
const LOSSES = {
  purged: ({ system }: LinkedStage) => withJetStream(system, async (jsm) => void (await jsm.streams.purge(STREAM))),
  deleted: async ({ system, databases }: LinkedStage, since: number) => {
    const sequences = await unappliedSequences(databases, since);
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
  const { system, databases } = stage;
  await Promise.all(system.services.workspace.map((replica) => replica.kill()));
  const since = await withJetStream(system, async (jsm) => (await jsm.streams.info(STREAM)).state.last_seq);
  const ids = await stage.deleteNext(PER_ROUND);
  await waitFor(async () => (await allPublished(databases)) || undefined, { deadlineMs: DEADLINE_MS });
  if (owners === "restarted") await Promise.all(ownersOf(system).map((replica) => replica.kill()));
  await LOSSES[loss](stage, since);
  if (owners === "restarted") await Promise.all(ownersOf(system).map((replica) => replica.start()));
  return ids;
}

const startConsumers = ({ system }: LinkedStage) =>
  Promise.all(system.services.workspace.map((replica) => replica.start()));

const ended = (stage: LinkedStage, ids: readonly string[]) =>
  waitFor(() => stage.open(ids).length === 0 || undefined, { deadlineMs: DEADLINE_MS });

/** A pass each half second instead of each five minutes, and a grace period of a second instead of a minute. */
const RECONCILER = { RECONCILER_INTERVAL_MS: "500", RECONCILER_GRACE_MS: "1000" };

describe("21: messages are removed from the stream before a consumer receives them: the reconciler does what they would", () => {
  test("purged, deleted or dropped by limits, with owners running or restarted, two replicas of each", async () => {
    const losses = Object.keys(LOSSES) as Loss[];
    const turns = runFigures({ ci: 1, long: 5 });
    await withLinkedStage(PER_ROUND * 6 * turns, { replicas: 2, env: RECONCILER }, async (stage) => {
      const rounds: { loss: Loss; owners: string; repairedMs: number }[] = [];
      for (let turn = 0; turn < turns; turn++) {
        for (const loss of losses) {
          for (const owners of ["running", "restarted"] as const) {
            const ids = await lose(stage, loss, owners);
            const lostAt = performance.now();
            await startConsumers(stage);
            await ended(stage, ids);
            rounds.push({ loss, owners, repairedMs: Math.round(performance.now() - lostAt) });
          }
        }
      }
      const deletions = stage.deleted().length;
      await expectSound(stage.system, stage.databases, [], true);
      const lost = stage.open(stage.deleted()).length;
      const notOnce = await stage.notOnce();
      writeReport({ what: "stream-holes", promise: 21, rounds, deletions, lost, notOnce });
      expect({ lost, notOnce }).toEqual({ lost: 0, notOnce: 0 });
    });
  }, 300_000);

  test("control: without the reconciler's repairs, they are lost", async () => {
    await withLinkedStage(2 * PER_ROUND, { remove: ["repairs"], env: RECONCILER }, async (stage) => {
      const ids = await lose(stage, "purged", "running");
      await startConsumers(stage);
      await ended(stage, await stage.deleteNext(2));
      await reconcilerPasses(stage.system.services.workspace, 2);
      await stage.databases.drained(DEADLINE_MS);
      const lost = stage.open(ids).length;
      writeReport({ what: "stream-holes-control", promise: 21, deletions: ids.length, lost });
      expect(lost).toBe(PER_ROUND);
    });
  }, 120_000);
});
