import { refusal } from "@cloud/access/testing";
import { type Database, statement } from "@cloud/postgres";
import { openRaceDatabase } from "@cloud/service/testing/races";
import { execute } from "@cloud/testkit";
import { createRandom } from "@cloud/testkit/figures";
import type { Rewrite } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { assignResource } from "../src/assignments/assign-resource.ts";
import { designs, environments, teams, views } from "../src/assignments/link-types.ts";
import { raceAssignsAgainstRemovals } from "./races/assign-against-remove.ts";
import { floorOutcomes, raceForTheFloor } from "./races/floor.ts";
import { raceIdenticalAssigns, withoutUniqueLinks } from "./races/identical-assigns.ts";
import { raceLocalLinks } from "./races/local-links.ts";
import { provisionTwice, raceForMyWorkspace, withoutUniqueInitial } from "./races/new-organization.ts";
import { type RaceStage, startRaceStage, system, unchanged } from "./races/race-stage.ts";
import { raceRemoteLinks } from "./races/remote-links.ts";

// races.chaos.test.ts runs the same races at the promised figures.

let stage: RaceStage;
beforeAll(async () => {
  stage = await startRaceStage();
});
afterAll(() => stage.close());

describe("concurrent deletions of an organization's last workspaces", () => {
  test.each([1, 2, 4, 8] as const)("always leave one of %d, and the losers get the reason", async (workspaces) => {
    const rounds = 4;
    const { left, outcomes } = await raceForTheFloor(stage, { rounds, workspaces, rewrite: unchanged });
    expect(left).toEqual({ 1: rounds });
    expect(outcomes).toEqual(floorOutcomes({ rounds, workspaces }));
  });
});

describe("concurrent deletions of the last two workspaces, in sessions that are set to repeatable reads", () => {
  const race = { rounds: 4, workspaces: 2, rewrite: unchanged } as const;
  let foreign: Database;
  beforeAll(async () => {
    await execute(stage.db, setIsolation);
    foreign = openRaceDatabase(stage.fixture.db);
  });
  afterAll(async () => {
    await foreign.close();
    await execute(stage.db, resetIsolation);
  });
  const on = (db: Database): RaceStage => ({ ...stage, contextWith: () => ({ ...stage.contextWith(unchanged), db }) });

  test("leave one", async () => {
    expect((await raceForTheFloor(on(foreign), race)).left).toEqual({ 1: 4 });
  });

  test("control: in transactions of that level they leave none", async () => {
    const repeatable: Database = {
      ...foreign,
      transaction: (work) =>
        foreign.transaction(async (tx) => {
          await tx.query(statement`set transaction isolation level repeatable read`);
          return await work(tx);
        }),
    };
    expect((await raceForTheFloor(on(repeatable), race)).left).not.toEqual({ 1: 4 });
  });
});

const setIsolation = statement`
  do $$
  begin
    execute format(
      'alter role %I in database %I set default_transaction_isolation to %L',
      current_user, current_database(), 'repeatable read'
    );
  end $$`;

const resetIsolation = statement`
  do $$
  begin
    execute format('alter role %I in database %I reset default_transaction_isolation', current_user, current_database());
  end $$`;

describe.each(["environment", "team"] as const)("assign against delete of the %s", (kind) => {
  const rounds = 60;

  test("never leaves a link to a deleted record", async () => {
    expect(await raceRemoteLinks(stage, kind, { rounds, rewrite: unchanged })).toBe(0);
  });

  test("nor if the deletion is applied between the look-up and the assignment", async () => {
    expect(await raceRemoteLinks(stage, kind, { rounds: 1, rewrite: unchanged, inTurn: true })).toBe(0);
  });

  test("control: without the tombstone it does", async () => {
    const blind: Rewrite = (text) => text.replace(" and deleted_at is null for share", "");
    expect(await raceRemoteLinks(stage, kind, { rounds: 1, rewrite: blind, inTurn: true })).toBe(1);
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
  test("create one row and return equal bodies; one removes it, the others find none", async () => {
    const { rows, bodies, removed } = await raceIdenticalAssigns(stage, 64, unchanged);
    expect([rows, bodies]).toEqual([1, 1]);
    expect(removed.filter((outcome) => outcome === "not refused")).toHaveLength(1);
    expect(removed.filter((outcome) => outcome.startsWith("404 TEAM_ASSIGNMENT_NOT_FOUND"))).toHaveLength(63);
  });

  test("control: without the unique key they create 64", async () => {
    const { rows } = await withoutUniqueLinks(stage, (rewrite) => raceIdenticalAssigns(stage, 64, rewrite));
    expect(rows).toBe(64);
  });
});

describe("16 clients that assign and remove the same pair", () => {
  const kinds = { team: teams, environment: environments, design: designs, view: views };
  const newPair = async (name: keyof typeof kinds) => {
    const [organization] = await stage.newOrganizations(1, 1);
    if (organization === undefined) throw new TypeError("no organization");
    const { fixture } = stage;
    const { id, workspaces } = organization;
    const request = { organizationId: id };
    const create = {
      team: async () => fixture.identity.addTeam(id),
      environment: async () => fixture.environment.addEnvironment(id),
      design: async () => (await fixture.service.designs.createDesign(request)).design?.id,
      view: async () => (await fixture.service.views.createView(request)).view?.id,
    };
    return { workspaceId: workspaces[0] ?? "", resourceId: (await create[name]()) ?? "" };
  };

  test.each(["team", "environment", "design", "view"] as const)("get an assignment each time: %s", async (name) => {
    const options = { rounds: 4, rewrite: unchanged };
    const outcomes = await raceAssignsAgainstRemovals(stage, kinds[name], await newPair(name), options);
    expect(outcomes).toEqual({ "not refused": 64 });
  });

  test("control: an insert that does nothing when the pair is linked returns none", async () => {
    const context = stage.contextWith((text) =>
      text.replace("do update set updated_at = assignments.updated_at", "do nothing"),
    );
    const pair = await newPair("team");
    const assign = () => refusal(assignResource(context, system, teams, pair));
    expect([await assign(), await assign()]).toEqual(["not refused", expect.not.stringMatching("^not refused")]);
  });
});

describe("a new organization, raced by 50 lists and the event", () => {
  test("gets exactly one My Workspace", async () => {
    expect(await raceForMyWorkspace(stage, unchanged)).toEqual({ outcomes: new Set(["not refused"]), made: 1 });
  });

  test("control: without the unique key it gets one from each event", async () => {
    expect(await withoutUniqueInitial(stage, (rewrite) => provisionTwice(stage, rewrite))).toBe(2);
  });

  test("gets one from two events", async () => {
    expect(await provisionTwice(stage, unchanged)).toBe(1);
  });
});
