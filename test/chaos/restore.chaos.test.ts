import { waitFor } from "@cloud/testkit";
import { runFigures, runSeed, writeReport } from "@cloud/testkit/figures";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Census, dangling, takeCensus, unknownReferences, wrongTombstones } from "./census/take-census.ts";
import type { Protection } from "./controls.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { usePlace } from "./places/use-place.ts";
import { endUnknown, listUnknown, noneUnknown, reportedUnknown } from "./restore/end-unknown.ts";
import { findEnded } from "./restore/find-ended.ts";
import { findOverreach } from "./restore/find-overreach.ts";
import { findUnusable } from "./restore/find-unusable.ts";
import { type Played, playRestore } from "./restore/play-restore.ts";
import { runRunbook } from "./restore/runbook.ts";
import { reconcilerPasses } from "./system/reconciler-passes.ts";
import { SERVICES, type System, startSystem } from "./system/start-system.ts";
import { openDatabases, type SystemDatabases } from "./system/system-databases.ts";

const REPLICAS = 2;
const CLIENTS = 4;
const env = { RECONCILER_INTERVAL_MS: "500", RECONCILER_GRACE_MS: "1000" };
const LOST_MS = runFigures({ ci: 15_000, long: 300_000 });
const DEADLINE_MS = runFigures({ ci: 60_000, long: 300_000 });

interface Stage {
  readonly system: System;
  readonly databases: SystemDatabases;
}

describe("19: one service is restored to an earlier time while the others keep running", () => {
  const resources = new AsyncDisposableStack();
  let stage: Stage;
  beforeAll(async () => {
    stage = await open(resources);
  }, 90_000);
  afterAll(() => resources.disposeAsync(), 60_000);

  test.each(SERVICES)(
    "%s: records that it has are usable everywhere, and lost records are deleted by command only",
    async (name) => {
      const { system } = stage;
      const firstClient = SERVICES.indexOf(name) * CLIENTS;
      const played = await playRestore(system, {
        name,
        firstClient,
        clients: CLIENTS,
        lostMs: LOST_MS,
        seed: runSeed(),
      });
      expect(await runRunbook(system, name, "rewind")).toContain("are delivered again");
      const { census, ms } = await agreed(stage);
      const unknown = unknownReferences(census);
      const report = { restored: name, ...played.figures, ...decided(played, census), unknown: unknown.length };
      writeReport({
        what: `restore-${name}`,
        promise: 19,
        replicas: REPLICAS,
        lostMs: LOST_MS,
        agreedMs: ms,
        ...report,
      });

      expect(played.wrongBefore).toEqual([]);
      expect(played.refusedMeanwhile).toEqual([]);
      expect(Math.min(report.forgotten, report.revived, report.unknown)).toBeGreaterThan(0);
      expect(await findEnded(stage.databases, played.ledger, census)).toEqual([]);
      expect(await findUnusable(system, played.ledger, census)).toEqual([]);
      expect(await usePlace(played.witnesses.kept)).toEqual([]);
      await endByCommand(stage, played.ledger);
    },
    LOST_MS + 4 * DEADLINE_MS,
  );

  test("control: with tombstones that are never cleared, records stay unusable", async () => {
    await using unprotected = new AsyncDisposableStack();
    const { system, databases } = await open(unprotected, ["clearedTombstones"]);
    const options = { name: "environment", firstClient: 0, clients: 1, lostMs: 0, seed: runSeed() } as const;
    const { ledger } = await playRestore(system, options);
    await reconcilerPasses(Object.values(system.services).flat(), 3);
    const census = await takeCensus(databases);
    const unusable = await findUnusable(system, ledger, census);
    const figures = { tombstones: wrongTombstones(census).length, unusable: unusable.length };
    writeReport({ what: "restore-control", promise: 19, ...figures });
    expect(Math.min(figures.tombstones, figures.unusable)).toBeGreaterThan(0);
  }, 180_000);
});

async function open(resources: AsyncDisposableStack, remove: readonly Protection[] = []): Promise<Stage> {
  const system = await startSystem({ replicas: REPLICAS, ownPostgres: true, env, remove });
  resources.defer(() => system.stop());
  const databases = resources.adopt(openDatabases(system), (opened) => opened.close());
  return { system, databases };
}

/** Waits until no reference has a deleted record and no tombstone a live one, and then for one more pass. */
async function agreed({ system, databases }: Stage): Promise<{ census: Census; ms: number }> {
  const began = performance.now();
  await databases.drained(DEADLINE_MS);
  const isAgreed = async () => {
    const census = await takeCensus(databases);
    const differences = [...dangling(census), ...wrongTombstones(census)];
    if (differences.length > 0) throw new Error(`${differences.length}, such as ${differences[0]}`);
    return true;
  };
  await waitFor(isAgreed, { deadlineMs: DEADLINE_MS });
  const ms = Math.round(performance.now() - began);
  await reconcilerPasses(Object.values(system.services).flat(), 2);
  return { census: await takeCensus(databases), ms };
}

/** Follows the runbook: check, list, delete, check. */
async function endByCommand(stage: Stage, ledger: Ledger): Promise<void> {
  const { system, databases } = stage;
  const before = await takeCensus(databases);
  const listed = await listUnknown(system);
  expect(listed.flatMap(({ references }) => references).toSorted()).toEqual(unknownReferences(before).toSorted());
  expect(listed.map(({ count }) => count)).toEqual(listed.map(({ references, parked }) => references.length + parked));
  await reportedUnknown(system, listed);
  for (const { service } of listed.filter(({ count }) => count > 0)) {
    const page = await runRunbook(system, service, "look");
    expect(page).toMatch(/^unknown-[a-z-]+: .*docs\/runbooks\/restore\.md$/m);
    expect(page).toContain("reconciler_unknown_references");
  }
  expect((await takeCensus(databases)).references).toEqual(before.references); // nothing has been changed so far
  await endUnknown(system, listed);
  await noneUnknown(system, databases);
  const { census: after } = await agreed(stage);
  expect(findOverreach(before, after, ledger)).toEqual([]);
  for (const service of SERVICES) expect(await runRunbook(system, service, "look")).toMatch(/^ready\n(?!unknown-)/);
}

/** Returns the records that the owner lost, and the records that are live again. */
function decided({ ledger }: Played, { stateOf }: Census) {
  const records = [...ledger.records.values()];
  return {
    records: records.length,
    forgotten: records.filter(({ kind, id }) => stateOf(kind, id) === undefined).length,
    revived: records.filter(({ kind, id, state }) => state === "deleted" && stateOf(kind, id) === "live").length,
  };
}
