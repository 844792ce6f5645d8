import { createRandom, runFigures, runSeed, writeReport } from "@cloud/testkit/figures";
import type { Rewrite } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { floorOutcomes, RACERS, raceForTheFloor } from "./races/floor.ts";
import { raceIdenticalAssigns, withoutUniqueLinks } from "./races/identical-assigns.ts";
import { raceLocalLinks } from "./races/local-links.ts";
import { raceForMyWorkspace, withoutUniqueInitial } from "./races/new-organization.ts";
import { type RaceStage, startRaceStage, unchanged } from "./races/race-stage.ts";

/** Races handlers of one process on one database; test/chaos/races does so over REST and with replicas. */
const seed = runSeed();
const DEADLINE_MS = runFigures({ ci: 120_000, long: 1_200_000 });
let stage: RaceStage;
beforeAll(async () => {
  stage = await startRaceStage();
});
afterAll(() => stage.close());

describe("8 concurrent deletions of an organization's last workspaces always leave one", () => {
  test.each([
    { workspaces: 8, ci: 1000, long: 10_000 },
    { workspaces: 4, ci: 100, long: 1000 },
    { workspaces: 2, ci: 100, long: 1000 },
    { workspaces: 1, ci: 100, long: 1000 },
  ] as const)(
    "of $workspaces, in $ci rounds, and exactly the losers get the reason",
    async ({ workspaces, ...figures }) => {
      const rounds = runFigures(figures);
      const { left, outcomes } = await raceForTheFloor(stage, { rounds, workspaces, rewrite: unchanged });
      writeReport({ what: "floor-of-" + workspaces, promise: 7, rounds, racers: RACERS, left, outcomes });
      expect(left).toEqual({ 1: rounds });
      expect(outcomes).toEqual(floorOutcomes({ rounds, workspaces }));
    },
    DEADLINE_MS,
  );

  test("control: a plain count leaves no workspace", async () => {
    const plainCount: Rewrite = (text) =>
      text.replace("from organizations where id = $1 for update", "from organizations where id = $1");
    const rounds = 50;
    const { left } = await raceForTheFloor(stage, { rounds, workspaces: 8, rewrite: plainCount });
    writeReport({ what: "floor-control", promise: 7, rounds, racers: RACERS, left });
    expect(left[0]).toBeGreaterThan(0);
  });
});

describe.each(["design", "view"] as const)("assign against delete of the workspace-%s link", (kind) => {
  // 2,000 of each link: half of them against the deletion of one end, half against that of the other.
  const races = runFigures({ ci: 1000, long: 20_000 });

  test.each(["resource", "workspace"] as const)(
    "leaves no link without its %s",
    async (end) => {
      const options = { kind, end, random: createRandom(seed), rewrite: unchanged };
      const { shownDeleted = [], strange, ...figures } = await raceLocalLinks(stage, { ...options, races });
      const what = "assign-against-delete-workspace-" + kind + (end === "workspace" ? "-by-workspace" : "");
      writeReport({ what, promise: 8, races, ...figures, shownDeleted: shownDeleted.length });
      expect([figures.dangling, shownDeleted, strange]).toEqual([0, [], {}]);
      // The assignment and the deletion each came first in more than a tenth of the races.
      expect(Math.min(figures.assigned, figures.refused)).toBeGreaterThan(races / 10);
      if (end === "resource") expect(figures.listed).toBeGreaterThan(0);
    },
    DEADLINE_MS,
  );

  test.each([
    ["resource", " from " + kind + "s where id = $1 and deleted_at is null"],
    ["workspace", " from workspaces where id = $1 and deleted_at is null"],
  ] as const)(
    "control: without the lock on the %s, it leaves dangling links",
    async (end, from) => {
      const unlocked: Rewrite = (text) => text.replace(from + " for share", from).replace(from + " for update", from);
      const options = { kind, end, random: createRandom(seed), rewrite: unlocked };
      const { dangling } = await raceLocalLinks(stage, { ...options, races: 400 });
      const what =
        "assign-against-delete-workspace-" + kind + (end === "workspace" ? "-by-workspace" : "") + "-control";
      writeReport({ what, promise: 8, races: 400, dangling });
      expect(dangling).toBeGreaterThan(0);
    },
    60_000,
  );
});

describe("the other races without their unique keys", () => {
  test("control: 64 identical assigns create several rows", async () => {
    const { rows } = await withoutUniqueLinks(stage, (rewrite) => raceIdenticalAssigns(stage, 64, rewrite));
    writeReport({ what: "identical-assigns-control", promise: 9, racers: 64, rows });
    expect(rows).toBeGreaterThan(1);
  });

  test("control: a new organization gets several My Workspaces", async () => {
    const { made } = await withoutUniqueInitial(stage, (rewrite) => raceForMyWorkspace(stage, rewrite));
    writeReport({ what: "new-organizations-control", promise: 10, lists: 50, made });
    expect(made).toBeGreaterThan(1);
  });
});
