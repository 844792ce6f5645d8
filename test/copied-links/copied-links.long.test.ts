import type { TeamId } from "@cloud/contract";
import { type Database, sql } from "@cloud/postgres";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openStage, type Place, type Stage, stageOf } from "./stage.ts";

const LINKS = 1_200;

const resources = new AsyncDisposableStack();
let stage: Stage;
beforeAll(async () => {
  stage = await openStage(resources);
}, 60_000);
afterAll(() => resources.disposeAsync());

const team = ({ teams }: Place, n: number) => teams[n - 1] as TeamId;

test("pages and searches as with the ids of the links", async () => {
  const place = await stage.newPlace(2_000, LINKS);
  for (const n of [3, 1_100, 1_500]) await stage.deleteTeam(team(place, n));
  for (const assigned of [true, false]) {
    for (const order of ["created_at asc", "created_at desc", "updated_at desc"]) {
      for (const search of ["", "Team 11", "7", "absent"]) {
        for (const page of [0, 1, 40]) {
          const list = { assigned, order, search, page };
          expect(await stage.list(place, list)).toEqual(await stage.listByIds(place, list));
        }
      }
    }
  }
});

test("many links are copied in parts, which remain if the call ends before the last", async () => {
  const place = await stage.newPlace(20_100, 20_050);
  let begun = 0;
  const ending: Database = {
    ...stage.identity,
    withTransaction: async (work) => {
      if (++begun === 2) throw new Error("no time is left");
      return await stage.identity.withTransaction(work);
    },
  };
  await expect(
    stageOf(stage.workspace, ending).list(place, { assigned: true, order: "created_at desc" }),
  ).rejects.toThrow("no time is left");
  const count = sql`select count(*)::integer as copied from copied_links where workspace_id = $1`;
  expect((await stage.identity.query(count, [place.workspaceId])).rows).toEqual([{ copied: 20_000 }]);
  expect(await stage.list(place, { assigned: true, order: "created_at desc" })).toMatchObject({
    total: 20_050,
    names: expect.arrayContaining(["Team 20050"]),
  });
  expect(await stage.list(place, { assigned: false, order: "created_at asc", search: "team" })).toMatchObject({
    total: 50,
  });
}, 60_000);
