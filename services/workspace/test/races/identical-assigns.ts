import { refusal } from "@cloud/access/testing";
import { sql, statement } from "@cloud/postgres";
import { execute } from "@cloud/testkit";
import type { Rewrite } from "@cloud/testkit/races";
import { assignResource } from "../../src/assignments/assign-resource.ts";
import { teams } from "../../src/assignments/link-types.ts";
import { removeResource } from "../../src/assignments/remove-resource.ts";
import { type RaceStage, system } from "./race-stage.ts";

/** Assigns one team to one workspace `racers` times concurrently, then removes it as often. */
export async function raceIdenticalAssigns(stage: RaceStage, racers: number, rewrite: Rewrite) {
  const context = stage.contextWith(rewrite);
  const [organization] = await stage.newOrganizations(1, 1);
  if (organization === undefined) throw new TypeError("no organization");
  const [workspaceId = ""] = organization.workspaces;
  const request = { workspaceId, resourceId: stage.fixture.identity.addTeam(organization.id) };
  const all = <T>(call: () => Promise<T>) => Promise.all(Array.from({ length: racers }, call));

  const assigned = await all(() => assignResource(context, system, teams, request));
  const rows = await stage.count(sql`assignments where resource_id = $1`, [request.resourceId]);
  const removed = await all(() => refusal(removeResource(context, system, teams, request)));
  return { rows, bodies: new Set(assigned.map((row) => JSON.stringify(row))).size, removed };
}

/** Runs `play` without the unique key of links, and then restores the key. */
export async function withoutUniqueLinks<T>(
  { fixture }: RaceStage,
  play: (rewrite: Rewrite) => Promise<T>,
): Promise<T> {
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
