import { type Program, waitFor } from "@cloud/testkit";
import { writeReport } from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  nanos,
  RetentionPolicy,
  StorageType,
} from "nats";
import { type LinkedStage, withLinkedStage } from "./linked-records/linked-stage.ts";
import { allPublished } from "./stream-holes/published-events.ts";
import { expectSound } from "./system/expect-sound.ts";
import { readConditions } from "./system/read-conditions.ts";
import { readMetric } from "./system/read-metric.ts";
import { STREAM, withJetStream } from "./system/with-jetstream.ts";

const PER_CHANGE = 6;
const DEADLINE_MS = 30_000;
const SUBJECT = "cloud.v1.environment.environment.deleted";
const DURABLE = "workspace-" + SUBJECT.replaceAll(".", "_");

const updateStream = (changes: object) => (jsm: JetStreamManager) => jsm.streams.update(STREAM, changes);
const updateDurable = (changes: object) => (jsm: JetStreamManager) => jsm.consumers.update(STREAM, DURABLE, changes);

/** Changes that an operator, or a differently configured program, makes to a stream or durable in use. */
const CHANGES: Record<string, (jsm: JetStreamManager) => Promise<unknown>> = {
  "other subjects": updateStream({ subjects: ["other.>"] }),
  "no acknowledgement": updateStream({ no_ack: true }),
  "a short max age": updateStream({ max_age: nanos(2_000), duplicate_window: nanos(1_000) }),
  "one message per subject": updateStream({ max_msgs_per_subject: 1, discard: DiscardPolicy.Old }),
  "an impatient durable": updateDurable({ ack_wait: nanos(1_000), max_deliver: 1, max_ack_pending: 1 }),
  "another filter": updateDurable({ filter_subject: "cloud.v1.other" }),
};

const ended = (stage: LinkedStage, ids: readonly string[]) =>
  waitFor(() => stage.open(ids).length === 0 || undefined, { deadlineMs: DEADLINE_MS });

const servicesOf = ({ system }: LinkedStage): Program[] => Object.values(system.services).flat();

/** Waits until each of the programs shows a condition, or none does; all stay ready meanwhile. */
const shown = (programs: readonly Program[], condition: string, count: number) =>
  waitFor(
    async () => {
      const lines = (await Promise.all(programs.map(readConditions))).flat();
      const found = lines.filter((line) => line.startsWith(condition + ":"));
      return found.length === count ? found : undefined;
    },
    { deadlineMs: DEADLINE_MS },
  );

/** The programs recreate a missing stream within a second: replacing it may take several attempts. */
const replaceStream = ({ system }: LinkedStage) =>
  withJetStream(system, (jsm) =>
    waitFor(
      async () => {
        await jsm.streams.delete(STREAM);
        const other = { storage: StorageType.Memory, retention: RetentionPolicy.Interest };
        await jsm.streams.add({ name: STREAM, subjects: ["cloud.v1.>"], ...other });
        return true;
      },
      { deadlineMs: DEADLINE_MS },
    ),
  );

/** Replaces the durable, while its consumers are dead, by a durable that skips the messages in the stream. */
async function skipByDurable(stage: LinkedStage): Promise<string[]> {
  const { system, databases } = stage;
  await Promise.all(system.services.workspace.map((replica) => replica.kill()));
  const ids = await stage.deleteNext(PER_CHANGE);
  await waitFor(async () => (await allPublished(databases)) || undefined, { deadlineMs: DEADLINE_MS });
  await withJetStream(system, async (jsm) => {
    await jsm.consumers.delete(STREAM, DURABLE);
    const skipping = { ack_policy: AckPolicy.Explicit, deliver_policy: DeliverPolicy.New, filter_subject: SUBJECT };
    await jsm.consumers.add(STREAM, { durable_name: DURABLE, ...skipping });
  });
  await Promise.all(system.services.workspace.map((replica) => replica.start()));
  return ids;
}

describe("26: a stream or durable of another configuration is corrected, or reported to the operator", () => {
  test("six changes while it is in use; then a stream and a durable that cannot be corrected", async () => {
    await withLinkedStage(PER_CHANGE * 10, { replicas: 2 }, async (stage) => {
      const { system } = stage;
      // 1. What NATS allows to be updated.
      const corrected: Record<string, number> = {};
      for (const [change, make] of Object.entries(CHANGES)) {
        await withJetStream(system, make);
        const changedAt = performance.now();
        await ended(stage, await stage.deleteNext(PER_CHANGE));
        corrected[change] = Math.round(performance.now() - changedAt);
      }
      await shown(servicesOf(stage), "stream-configuration", 0);

      // 2. A stream that only its deletion can correct.
      await replaceStream(stage);
      const [line] = await shown(servicesOf(stage), "stream-configuration", 6);
      expect(line).toContain('storage is "memory" instead of "file"');
      expect(line).toContain('retention is "interest" instead of "limits"');
      const raised = await readMetric(servicesOf(stage)[0] as Program, "operator_condition", {
        condition: "stream-configuration",
      });
      const meanwhile = await stage.deleteNext(PER_CHANGE); // interest: it drops messages that no durable waits for yet
      await withJetStream(system, (jsm) => jsm.streams.delete(STREAM));
      await shown(servicesOf(stage), "stream-configuration", 0);
      await ended(stage, [...meanwhile, ...(await stage.deleteNext(PER_CHANGE))]);

      // 3. A durable that only its deletion can correct.
      const skipped = await skipByDurable(stage);
      const [durable] = await shown(system.services.workspace, "consumer-configuration", 2);
      expect(durable).toContain('deliver_policy is "new" instead of "all"');
      await withJetStream(system, (jsm) => jsm.consumers.delete(STREAM, DURABLE));
      await ended(stage, skipped);
      await shown(servicesOf(stage), "consumer-configuration", 0);

      await expectSound(system, stage.databases, ["stream-configuration", "consumer-configuration"]);
      const errors = servicesOf(stage).map((program) => program.log().filter(({ level }) => level === "error").length);
      const [lost, notOnce] = [stage.open(stage.deleted()).length, await stage.notOnce()];
      const deletions = stage.deleted().length;
      writeReport({ what: "stream-configuration", promise: 26, corrected, deletions, errors, lost, notOnce });
      expect(raised).toBe(1);
      expect({ lost, notOnce }).toEqual({ lost: 0, notOnce: 0 });
      expect(Math.max(...errors)).toBeLessThanOrEqual(3); // one per difference and process, not one a second
    });
  }, 240_000);

  test("control: a stream of other subjects, used as it is, receives nothing, and no operator is notified", async () => {
    await withLinkedStage(PER_CHANGE, { remove: ["configuration"] }, async (stage) => {
      await withJetStream(stage.system, updateStream({ subjects: ["other.>"] }));
      const ids = await stage.deleteNext(PER_CHANGE);
      const failures = () =>
        stage.system.services.environment[0]
          .log()
          .filter(({ msg }) => msg === "events could not be published; they stay in the outbox").length;
      await waitFor(() => failures() >= 5 || undefined, { deadlineMs: DEADLINE_MS });
      const unapplied = stage.open(ids).length;
      const conditions = (await Promise.all(servicesOf(stage).map(readConditions))).flat();
      writeReport({ what: "stream-configuration-control", promise: 26, deletions: ids.length, unapplied, conditions });
      expect(unapplied).toBe(PER_CHANGE);
      expect(conditions).toEqual([]);
    });
  }, 120_000);
});
