import type { Rewrite } from "@cloud/testkit";
import { createRandom } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Fixture, startFixture } from "./fixture.ts";
import { floorOutcomes, raceForTheFloor } from "./races/floor.ts";
import { raceIdenticalAssigns, withoutUniqueLinks } from "./races/identical-assigns.ts";
import { raceLocalLinks } from "./races/local-links.ts";
import { raceForMyWorkspace, withoutUniqueInitial } from "./races/new-organization.ts";
import { openRaceStage, type RaceStage, unchanged } from "./races/race-stage.ts";
import { raceRemoteLinks } from "./races/remote-links.ts";

// The same races at the figures that are promised: races.chaos.test.ts.

let fixture: Fixture;
let stage: RaceStage;
beforeAll(async () => {
  fixture = await startFixture();
  stage = openRaceStage(fixture);
});
afterAll(async () => {
  await stage.close();
  await fixture.stop();
});

describe("the floor: concurrent deletions of an organization's last workspaces", () => {
  test.each([1, 2, 4, 8] as const)("always leave one of %d, and the losers are told why", async (workspaces) => {
    const rounds = 8;
    const { left, outcomes } = await raceForTheFloor(stage, { rounds, workspaces, rewrite: unchanged });
    expect(left).toEqual({ 1: rounds });
    expect(outcomes).toEqual(floorOutcomes({ rounds, workspaces }));
  });
});

describe.each(["environment", "team"] as const)("assign against delete of the %s", (kind) => {
  const rounds = 150;

  test("never leaves a link to something that is gone", async () => {
    expect(await raceRemoteLinks(stage, kind, { rounds, rewrite: unchanged })).toBe(0);
  });

  test("control: without the tombstone it does", async () => {
    const blind: Rewrite = (text) => text.replace(" and deleted_at is null for share", "");
    expect(await raceRemoteLinks(stage, kind, { rounds, rewrite: blind })).toBeGreaterThan(0);
  });
});

describe.each(["design", "view"] as const)("assign against delete of the %s", (kind) => {
  test.each(["resource", "workspace"] as const)("never leaves a link without its %s", async (end) => {
    const random = createRandom(4);
    const { dangling, strange } = await raceLocalLinks(stage, { kind, end, races: 64, random, rewrite: unchanged });
    expect([dangling, strange]).toEqual([0, {}]);
  });
});

describe("64 parallel identical assigns, then 64 parallel removes", () => {
  test("make one row and equal bodies; one removes, the others find nothing", async () => {
    const { rows, bodies, removed } = await raceIdenticalAssigns(stage, 64, unchanged);
    expect([rows, bodies]).toEqual([1, 1]);
    expect(removed.filter((outcome) => outcome === "not refused")).toHaveLength(1);
    expect(removed.filter((outcome) => outcome.startsWith("404 TEAM_ASSIGNMENT_NOT_FOUND"))).toHaveLength(63);
  });

  test("control: without the unique key they make several", async () => {
    const { rows } = await withoutUniqueLinks(stage, (rewrite) => raceIdenticalAssigns(stage, 64, rewrite));
    expect(rows).toBeGreaterThan(1);
  });
});

describe("a new organization, raced by 50 lists and the event", () => {
  test("gets exactly one My Workspace", async () => {
    expect(await raceForMyWorkspace(stage, unchanged)).toEqual({ outcomes: new Set(["not refused"]), made: 1 });
  });

  test("control: without the unique key it gets several", async () => {
    const { made } = await withoutUniqueInitial(stage, (rewrite) => raceForMyWorkspace(stage, rewrite));
    expect(made).toBeGreaterThan(1);
  });
});
