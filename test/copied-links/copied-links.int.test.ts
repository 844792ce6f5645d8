import type { TeamId } from "@cloud/contract";
import { type Database, sql } from "@cloud/postgres";
import type { WorkspaceLinks } from "@cloud/proto/cloud/api/v1/workspace_links_pb";
import { parseWorkspaceLinks } from "@cloud/service";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { deleteUnusedCopies } from "../../packages/service/src/copied-links/delete-unused-copies.ts";
import { selectLinkCopy } from "../../packages/service/src/copied-links/link-copy-sql.ts";
import { selectLinkedTeams } from "../../services/identity/src/directory/select-linked-teams.ts";
import { recountLinks } from "../../services/workspace/src/links/recount-links.ts";
import { selectWrongCounts } from "../counts/wrong-counts.ts";
import { openMigrated } from "../schemas/service-schemas.ts";
import { openStage, type Place, type Stage, stageOf } from "./stage.ts";

const LINKS = 1_200;

const resources = new AsyncDisposableStack();
let stage: Stage;
beforeAll(async () => {
  stage = await openStage(resources);
}, 60_000);
afterAll(() => resources.disposeAsync());

const team = ({ teams }: Place, n: number) => teams[n - 1] as TeamId;
const newest = { assigned: true, order: "created_at desc" } as const;
const others = { assigned: false, order: "created_at asc" } as const;

describe("a list of a workspace with many links", () => {
  test("shows each change at once, on both sides, and is read by identity's copy", async () => {
    const place = await stage.newPlace(2_000, LINKS);
    const before = stage.calls.ofIds;
    expect(await stage.list(place, newest)).toMatchObject({
      total: LINKS,
      names: expect.arrayContaining(["Team 1200"]),
    });
    expect(await stage.list(place, others)).toMatchObject({ total: 800, names: expect.arrayContaining(["Team 1201"]) });

    await stage.assign(place, team(place, 2_000));
    expect((await stage.list(place, newest)).names[0]).toBe("Team 2000");
    await stage.remove(place, team(place, 1));
    expect(await stage.list(place, others)).toMatchObject({ total: 800, names: expect.arrayContaining(["Team 1"]) });
    expect((await stage.list(place, { ...newest, search: "Team 1" })).names).not.toContain("Team 1");

    // Deleted by its owner; the workspace has not heard of it yet.
    await stage.deleteTeam(team(place, 2_000));
    expect(await stage.list(place, newest)).toMatchObject({ total: LINKS - 1 });
    expect((await stage.list(place, { ...newest, search: "Team 2000" })).total).toBe(0);
    await stage.remove(place, team(place, 2_000));
    expect(await stage.list(place, newest)).toMatchObject({ total: LINKS - 1 });
    expect(await stage.list(place, others)).toMatchObject({ total: 800 });
    expect(stage.calls.ofIds).toBe(before);
  });

  test("is read by ids again when few links are left", async () => {
    const place = await stage.newPlace(2_000, LINKS);
    await stage.list(place, newest);
    const { ofIds, ofCopy } = stage.calls;
    await stage.workspace.query(sql`delete from assignments where workspace_id = $1`, [place.workspaceId]);
    expect(await stage.list(place, newest)).toEqual({ total: 0, names: [] });
    expect(stage.calls).toEqual({ ofIds: ofIds + 1, ofCopy });
  });

  test("contains links whose transactions commit late", async () => {
    const place = await stage.newPlace(2_000, LINKS);
    await stage.list(place, newest);
    const late = Promise.withResolvers<void>();
    const inserted = Promise.withResolvers<void>();
    const slow = stage.workspace.withTransaction(async (tx) => {
      await tx.query(sql`set local idle_in_transaction_session_timeout = 0`);
      await tx.query(insertLink, [place.workspaceId, team(place, 1_999)]);
      inserted.resolve();
      await late.promise;
    });
    await inserted.promise;
    await stage.assign(place, team(place, 2_000));
    expect((await stage.list(place, newest)).names.slice(0, 2)).toEqual(["Team 2000", "Team 1200"]);
    late.resolve();
    await slow;
    expect((await stage.list(place, newest)).names.slice(0, 2)).toEqual(["Team 2000", "Team 1999"]);
  });

  test("is right after many changes, and after more than are kept", async () => {
    const place = await stage.newPlace(3_000, LINKS);
    await stage.list(place, newest);
    const change = (from: number, to: number) =>
      stage.workspace.query(
        sql`
          insert into assignments (id, workspace_id, kind, resource_id)
          select gen_random_uuid(), $1, 'team', unnest($2::uuid[])`,
        [place.workspaceId, place.teams.slice(from, to)],
      );
    await change(LINKS, LINKS + 900);
    expect(await stage.list(place, newest)).toMatchObject({ total: LINKS + 900 });
    await stage.workspace.query(sql`delete from assignments where workspace_id = $1 and resource_id = any($2)`, [
      place.workspaceId,
      place.teams.slice(0, 1_050),
    ]);
    expect(await stage.list(place, newest)).toMatchObject({ total: 1_050 });
    expect(await stage.list(place, others)).toMatchObject({ total: 1_950 });
  });

  test("a copy that no list has used for a week is deleted, and made again by the next", async () => {
    const place = await stage.newPlace(2_000, LINKS);
    await stage.list(place, newest);
    const age = sql`update link_copies set used_at = now() - interval '8 days' where workspace_id = $1`;
    await stage.identity.query(age, [place.workspaceId]);
    // A list that finds it in time keeps it.
    await stage.list(place, newest);
    expect(await deleteUnusedCopies(stage.identity)).toBe(0);
    await stage.identity.query(age, [place.workspaceId]);
    expect(await deleteUnusedCopies(stage.identity)).toBe(LINKS);
    expect(await stage.list(place, newest)).toMatchObject({ total: LINKS });
  });

  test("a damaged copy is replaced by the next change", async () => {
    const place = await stage.newPlace(2_000, LINKS);
    await stage.list(place, newest);
    await stage.identity.query(sql`delete from copied_links where workspace_id = $1 and record_id = $2`, [
      place.workspaceId,
      team(place, LINKS),
    ]);
    await stage.identity.query(
      sql`update link_copies set hash = hash - link_hash($2), links = links - 1 where workspace_id = $1`,
      [place.workspaceId, team(place, LINKS)],
    );
    expect((await stage.list(place, newest)).names[0]).toBe("Team 1200");
  });
});

test("links that were changed without triggers are listed by their ids, and counted again", async () => {
  const place = await stage.newPlace(2_000, LINKS);
  await stage.list(place, newest);
  await stage.workspace.query(sql`alter table assignments disable trigger user`);
  await stage.workspace.query(insertLink, [place.workspaceId, team(place, 2_000)]);
  await stage.workspace.query(sql`alter table assignments enable trigger user`);
  await stage.assign(place, team(place, 1_999));
  const { ofIds } = stage.calls;
  expect((await stage.list(place, newest)).names.slice(0, 2)).toEqual(["Team 1999", "Team 1200"]);
  await stage.remove(place, team(place, 1));
  await stage.identity.query(sql`delete from link_copies where workspace_id = $1`, [place.workspaceId]);
  expect((await stage.list(place, newest)).names.slice(0, 2)).toEqual(["Team 2000", "Team 1999"]);
  expect(stage.calls.ofIds).toBe(ofIds + 1);

  expect((await stage.workspace.query(selectWrongCounts.workspace)).rows).toHaveLength(1);
  const recounted = await Promise.all(Array.from({ length: 4 }, () => recountLinks(stage.workspace, first)));
  expect(recounted.reduce((sum, { wrong }) => sum + wrong, 0)).toBe(1);
  expect((await stage.list(place, newest)).names.slice(0, 2)).toEqual(["Team 2000", "Team 1999"]);
  expect(stage.calls.ofIds).toBe(ofIds + 1);
});

describe("after a restore of the workspace service's database", () => {
  // As after a restore of one to an earlier moment: the same positions, but other links.
  const restored = async (): Promise<[Stage, Stage, Place]> => {
    const place = await stage.newPlace(2_000, LINKS);
    const database: Database = await openMigrated("workspace", resources);
    for (const table of [sql`organizations`, sql`workspaces`, sql`assignments`]) {
      const { rows } = await stage.workspace.query<{ row: object }>(sql`select to_jsonb(t) as row from ${table} t`);
      await database.query(sql`insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1)`, [
        JSON.stringify(rows.map(({ row }) => row)),
      ]);
    }
    // As if counted by the same transactions.
    const { rows } = await stage.workspace.query<{ row: object }>(sql`select to_jsonb(t) as row from link_states t`);
    await database.query(sql`delete from link_states`);
    await database.query(sql`insert into link_states select * from jsonb_populate_recordset(null::link_states, $1)`, [
      JSON.stringify(rows.map(({ row }) => row)),
    ]);
    return [stage, stageOf(database, stage.identity), place];
  };

  test("a list shows the links of the database that is asked", async () => {
    const [before, after, place] = await restored();
    await before.list(place, newest);
    await before.assign(place, team(place, 1_500));
    expect((await before.list(place, newest)).names[0]).toBe("Team 1500");
    expect((await after.list(place, newest)).names[0]).toBe("Team 1200");
    await before.list(place, newest);
    await after.assign(place, team(place, 1_600));
    expect((await after.list(place, newest)).names.slice(0, 2)).toEqual(["Team 1600", "Team 1200"]);
    await after.assign(place, team(place, 1_700));
    await before.list(place, newest);
    await after.assign(place, team(place, 1_800));
    expect((await after.list(place, newest)).names.slice(0, 3)).toEqual(["Team 1800", "Team 1700", "Team 1600"]);
  });

  test("control: by the position of the copy alone, a list shows links of the other database", async () => {
    const [before, after, place] = await restored();
    const byPosition: typeof selectLinkedTeams = async (context, caller, request) => {
      const { workspaceId, position, changes } = parseWorkspaceLinks(request.links);
      const copy = await selectLinkCopy(context.db, workspaceId);
      const isCurrent = changes === undefined && copy?.position === position;
      const links = { ...request.links, count: BigInt(copy?.links ?? 0), hash: copy?.hash ?? "0" } as WorkspaceLinks;
      return selectLinkedTeams(context, caller, isCurrent ? { ...request, links } : request);
    };
    const judging = (stage: Stage) => stageOf(stage.workspace, stage.identity, byPosition);
    await before.list(place, newest);
    await before.assign(place, team(place, 1_500));
    await before.list(place, newest);
    await after.assign(place, team(place, 1_600));
    expect((await judging(after).list(place, newest)).names[0]).toBe("Team 1500");
    expect((await after.list(place, newest)).names[0]).toBe("Team 1600");
  });
});

test("all copies and counts are right in the end", async () => {
  expect((await stage.workspace.query(selectWrongCounts.workspace)).rows).toEqual([]);
  expect((await stage.identity.query(selectWrongCounts.identity)).rows).toEqual([]);
});

const first = { workspace_id: "00000000-0000-0000-0000-000000000000", kind: "" };

const insertLink = sql`
  insert into assignments (id, workspace_id, kind, resource_id)
  values (gen_random_uuid(), $1, 'team', $2)`;
