import { type Program, waitFor } from "@cloud/testkit";
import { calibrated, judgeTime, writeReport } from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import { type SteppablePostgres, startSteppablePostgres } from "./clock-steps/start-steppable-postgres.ts";
import type { Protection } from "./controls.ts";
import { type LinkedStage, withLinkedStage } from "./linked-records/linked-stage.ts";
import { allPublished } from "./stream-holes/published-events.ts";
import { expectSound } from "./system/expect-sound.ts";
import { readMetric } from "./system/read-metric.ts";

const AN_HOUR_S = 3600;
const LEASED = 12;
const DEADLINE_MS = 60_000;
/** The time from the step until all events are published, including the restart of the killed programs. */
const PROMISED_MS = 15_000;

interface ClockStage extends LinkedStage {
  readonly clock: SteppablePostgres;
}

const withClockStage = async (remove: readonly Protection[], run: (stage: ClockStage) => Promise<void>) => {
  const clock = await startSteppablePostgres();
  await withLinkedStage(200, { remove, postgres: async () => clock }, (stage) => run({ ...stage, clock }));
};

const ownersOf = ({ system: { services } }: LinkedStage): Program[] => [...services.environment, ...services.identity];

async function countLeased({ databases }: LinkedStage): Promise<number> {
  const rows = await databases.query(`
    select from environment.outbox where published_at is null and claimed_until is not null
    union all
    select from identity.outbox where published_at is null and claimed_until is not null
  `);
  return rows.length;
}

/**
 * Kills the owners while events are leased, then steps the clock back. NATS is frozen and then killed, so that none is
 * published, nor read later from what the connections of the owners had sent. A relay releases its leases after 2 s
 * without a response; if the machine was too slow to kill it before, everything is repeated.
 */
async function stepWithLeases(stage: ClockStage, offsetSeconds: number) {
  const { nats } = stage.system;
  const owners = ownersOf(stage);
  const ids: string[] = [];
  for (let attempt = 1; ; attempt++) {
    nats.pause();
    ids.push(...(await stage.deleteNext(LEASED)));
    await Promise.all(owners.map((owner) => owner.kill()));
    const leased = await countLeased(stage);
    if (leased > 0 || attempt === 3) {
      stage.clock.setClock(offsetSeconds);
      const steppedAt = performance.now();
      await nats.kill();
      await nats.start();
      await Promise.all(owners.map((owner) => owner.start()));
      return { ids, leased, steppedAt };
    }
    nats.resume();
    await Promise.all(owners.map((owner) => owner.start()));
  }
}

/** Wipes the stream while it has unapplied events, right after a step back of the clock. */
async function stepAndWipe(stage: ClockStage, offsetSeconds: number) {
  const { nats, services } = stage.system;
  await Promise.all(services.workspace.map((replica) => replica.kill()));
  const ids = await stage.deleteNext(2 * LEASED);
  await waitFor(async () => (await allPublished(stage.databases)) || undefined, { deadlineMs: DEADLINE_MS });
  stage.clock.setClock(offsetSeconds);
  const steppedAt = performance.now();
  await nats.kill();
  await nats.wipe();
  await nats.start();
  await Promise.all(services.workspace.map((replica) => replica.start()));
  return { ids, steppedAt };
}

const ended = (stage: LinkedStage, ids: readonly string[]) =>
  waitFor(() => stage.open(ids).length === 0 || undefined, { deadlineMs: DEADLINE_MS });

/** Continuously reads the age of the oldest events; returns the function that stops it and returns the lowest. */
function watchAges(stage: LinkedStage): () => Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  const over = new AbortController();
  const watching = waitFor(
    async () => {
      if (over.signal.aborted) return true;
      for (const program of ownersOf(stage)) {
        lowest = Math.min(lowest, await readMetric(program, "messaging_outbox_oldest_seconds").catch(() => lowest));
      }
      return undefined;
    },
    { deadlineMs: 10 * DEADLINE_MS },
  );
  return async () => {
    over.abort();
    await watching;
    return lowest;
  };
}

describe("24: Postgres' clock is stepped: events are published without delay", () => {
  test("back by an hour with leases of killed relays, back again with a wiped stream, forward again", async () => {
    await withClockStage([], async (stage) => {
      const stopWatching = watchAges(stage);
      const { leased, publishedMs, filledMs, forwardMs, factor } = await calibrated(async () => {
        const { ids, leased, steppedAt } = await stepWithLeases(stage, -AN_HOUR_S);
        await waitFor(async () => (await allPublished(stage.databases)) || undefined, { deadlineMs: DEADLINE_MS });
        const publishedMs = Math.round(performance.now() - steppedAt);
        await ended(stage, ids);

        const wiped = await stepAndWipe(stage, -2 * AN_HOUR_S);
        await ended(stage, wiped.ids);
        const filledMs = Math.round(performance.now() - wiped.steppedAt);

        const forward = await stepWithLeases(stage, 0);
        await ended(stage, forward.ids);
        const forwardMs = Math.round(performance.now() - forward.steppedAt);
        return { leased, publishedMs, filledMs, forwardMs };
      });

      await expectSound(stage.system, stage.databases);
      const [lost, notOnce] = [stage.open(stage.deleted()).length, await stage.notOnce()];
      const lowestAge = await stopWatching();
      const figures = { leased, publishedMs, filledMs, forwardMs, factor, lowestAge, lost, notOnce };
      writeReport({ what: "clock-steps", promise: 24, deletions: stage.deleted().length, ...figures });
      expect(leased).toBeGreaterThan(0);
      const slowest = Math.max(publishedMs, filledMs, forwardMs);
      judgeTime({ what: "clock-steps: all is published", measuredMs: slowest, limitMs: PROMISED_MS, factor });
      expect(lowestAge).toBeGreaterThanOrEqual(0);
      expect({ lost, notOnce }).toEqual({ lost: 0, notOnce: 0 });
    });
  }, 180_000);

  test("control: by the clock, a wiped stream is not refilled, and leased events wait for the hour", async () => {
    await withClockStage(["publicationOrder", "leaseLength"], async (stage) => {
      const wiped = await stepAndWipe(stage, -AN_HOUR_S);
      await ended(stage, await stage.deleteNext(2));
      const lost = stage.open(wiped.ids).length;
      const { leased, ids } = await stepWithLeases(stage, -2 * AN_HOUR_S);
      await ended(stage, await stage.deleteNext(2));
      const waiting = await countLeased(stage);
      const open = stage.open(ids).length;
      writeReport({
        what: "clock-steps-control",
        promise: 24,
        deletions: wiped.ids.length,
        lost,
        leased,
        waiting,
        open,
      });
      expect(lost).toBe(wiped.ids.length);
      expect(waiting).toBe(leased);
      expect(open).toBeGreaterThan(0);
    });
  }, 120_000);
});
