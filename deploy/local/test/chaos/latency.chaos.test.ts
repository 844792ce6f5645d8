import { type Latencies, latenciesOf, measureUntil, runFigures, startLoad, waitFor, writeReport } from "@cloud/testkit";
import { describe, expect, test } from "@jest/globals";
import { everybody } from "../rest.ts";
import type { Protection } from "./controls.ts";
import { seedLinkedRecords } from "./linked-records/linked-records.ts";
import { watchEndedLinks } from "./linked-records/watch-ended-links.ts";
import { expectSound } from "./system/expect-sound.ts";
import { lookBehind } from "./system/look-behind.ts";
import { startSystem } from "./system/start-system.ts";

const PER_SECOND = 100;

interface Measured {
  readonly fromAnswer: Latencies;
  /** Of the deletions themselves. */
  readonly answers: Latencies;
}

/**
 * Deletes linked environments and teams in turn over REST, and measures from each answer to the end of the link. The
 * first `warmUp` do not count.
 */
async function measure(warmUp: number, count: number, remove: readonly Protection[] = []): Promise<Measured> {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ remove });
  resources.defer(() => system.stop());
  const behind = lookBehind(system);
  resources.defer(() => behind.close());
  const enough = warmUp + count; // of each kind: twice what is needed, for a load that runs ahead of its answers
  const { environments, teams } = await seedLinkedRecords(system, behind, { environments: enough, teams: enough });
  const links = await watchEndedLinks(system);
  resources.defer(() => links.close());

  const { orgAdmin } = everybody(system.demo);
  const load = startLoad(PER_SECOND, async (index) => {
    const [id = "", path] =
      index % 2 === 0 ? [environments[index / 2], "/environments/"] : [teams[(index - 1) / 2], "/identity/teams/"];
    const { status } = await orgAdmin.delete(path + id);
    return { id, status, answeredAt: performance.now() };
  });
  resources.defer(async () => void (await load.stop()));
  const deadlineMs = (4 * 1000 * enough) / PER_SECOND;
  await waitFor(() => load.samples().length >= enough || undefined, { deadlineMs });
  const samples = await load.stop();
  await waitFor(() => samples.every(({ answer }) => links.endedAt.has(answer?.id ?? "")) || undefined, { deadlineMs });
  await expectSound(system, behind);
  expect(new Set(samples.map(({ answer }) => answer?.status))).toEqual(new Set([204]));

  const measured = samples.filter(({ at }) => at >= (warmUp * 1000) / PER_SECOND);
  const waits = measured.map(({ answer }) =>
    // Gone before the answer came is no wait.
    Math.max(0, (links.endedAt.get(answer?.id ?? "") ?? Number.NaN) - (answer?.answeredAt ?? Number.NaN)),
  );
  return {
    fromAnswer: latenciesOf(waits),
    answers: latenciesOf(measured.map(({ ms }) => ms)),
  };
}

describe("From the answer of a deletion to the link gone in the other service, at 100 events/s", () => {
  test("p50 is at most 10 ms, and p99 at most 100 ms", async () => {
    const { fromAnswer, answers, attempts } = await measureUntil(
      ({ fromAnswer: { p50, p99 } }) => p50 <= 10 && p99 <= 100,
      () => measure(200, runFigures({ ci: 1500, long: 20_000 })),
    );
    writeReport({ what: "latency", promise: 11, perSecond: PER_SECOND, fromAnswer, answers, attempts });
    expect(fromAnswer.p50).toBeLessThanOrEqual(10);
    expect(fromAnswer.p99).toBeLessThanOrEqual(100);
  }, 240_000);

  test("control: with polling only it takes hundreds of milliseconds", async () => {
    const { fromAnswer } = await measure(0, 300, ["notify"]);
    writeReport({ what: "latency-control", promise: 11, perSecond: PER_SECOND, fromAnswer });
    expect(fromAnswer.p50).toBeGreaterThan(100);
  }, 60_000);
});
