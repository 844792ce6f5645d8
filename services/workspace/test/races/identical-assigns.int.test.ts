import { refusal } from "@cloud/access/testing";
import { sql, statement } from "@cloud/postgres";
import { execute } from "@cloud/testkit";
import { type Rewrite, raceSize, reportRace } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { assignResource } from "../../src/assignments/assign-resource.ts";
import { teams } from "../../src/assignments/link-types.ts";
import { removeResource } from "../../src/assignments/remove-resource.ts";
import { type RaceStage, startRaceStage, system, unchanged } from "./race-stage.ts";

const RACERS = 64;
let stage: RaceStage;
beforeAll(async () => {
  stage = await startRaceStage();
});
afterAll(() => stage.close());

describe("64 parallel identical assigns, then 64 parallel removes", () => {
  test("create one row and return equal bodies; one removes it, the others find none", async () => {
    for (let round = 0; round < raceSize({ gate: 1, chaos: 10, long: 100 }); round++) {
      const { rows, bodies, removed } = await raceIdenticalAssigns(unchanged);
      expect([rows, bodies]).toEqual([1, 1]);
      expect(removed.filter((outcome) => outcome === "not refused")).toHaveLength(1);
      expect(removed.filter((outcome) => outcome.startsWith("404 TEAM_ASSIGNMENT_NOT_FOUND"))).toHaveLength(63);
    }
  });

  test("control: without the unique key they create 64 rows", async () => {
    const { rows } = await withoutUniqueLinks(raceIdenticalAssigns);
    reportRace({ what: "identical-assigns-control", promise: 9, racers: RACERS, rows });
    expect(rows).toBe(64);
  });
});

/** Assigns one team to one workspace `RACERS` times concurrently, then removes it as often. */
async function raceIdenticalAssigns(rewrite: Rewrite) {
  const context = stage.contextWith(rewrite);
  const [organization] = await stage.newOrganizations(1, 1);
  if (organization === undefined) throw new TypeError("no organization");
  const [workspaceId = ""] = organization.workspaces;
  const request = { workspaceId, resourceId: stage.fixture.identity.addTeam(organization.id) };
  const all = <T>(call: () => Promise<T>) => Promise.all(Array.from({ length: RACERS }, call));

  const assigned = await all(() => assignResource(context, system, teams, request));
  const rows = await stage.count(sql`assignments where resource_id = $1`, [request.resourceId]);
  const removed = await all(() => refusal(removeResource(context, system, teams, request)));
  return { rows, bodies: new Set(assigned.map((row) => JSON.stringify(row))).size, removed };
}

/** Runs `play` without the unique key of links, and then restores the key. */
async function withoutUniqueLinks<T>(play: (rewrite: Rewrite) => Promise<T>): Promise<T> {
  const { fixture } = stage;
  await execute(fixture.ownerDb, statement`alter table assignments drop constraint assignments_pair`);
  const played = await play((text) =>
    text.replace(/on conflict on constraint assignments_pair do update .*(?=returning)/, ""),
  );
  await execute(
    fixture.db,
    statement`
    delete
    from assignments`,
  );
  await execute(
    fixture.ownerDb,
    statement`
    alter table assignments add constraint assignments_pair unique (workspace_id, kind, resource_id)`,
  );
  return played;
}
