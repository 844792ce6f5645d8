import { create } from "@bufbuild/protobuf";
import { refusal } from "@cloud/access/testing";
import { type Id, newId } from "@cloud/access/values";
import { sql, statement } from "@cloud/postgres";
import {
  DeleteWorkspaceRequestSchema,
  ListWorkspaceDesignsRequestSchema,
  ListWorkspaceViewsRequestSchema,
} from "@cloud/proto/workspace/v1/workspace_service_pb";
import { interleaveBefore } from "@cloud/service/testing/races";
import { execute } from "@cloud/testkit";
import { createRandom, type Random, runSeed } from "@cloud/testkit/figures";
import {
  type LinkOutcomes,
  RACE_DEADLINE_MS,
  type Rewrite,
  raceLinks,
  raceSize,
  raceUntil,
  reportRace,
  type Watched,
  watchLists,
} from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { assignResource } from "../../src/assignments/assign-resource.ts";
import { designs, views } from "../../src/assignments/link-types.ts";
import { listWorkspaceDesigns, listWorkspaceViews } from "../../src/assignments/list-resources.ts";
import type { Context } from "../../src/context.ts";
import { deleteItem } from "../../src/library/delete-item.ts";
import { designs as designItems, views as viewItems } from "../../src/library/sql.ts";
import { deleteWorkspace } from "../../src/workspaces/delete-workspace.ts";
import { type RaceOrganization, type RaceStage, startRaceStage, system, unchanged } from "./race-stage.ts";

const seed = raceSize({ gate: 4, chaos: runSeed(), long: runSeed() });
let stage: RaceStage;
beforeAll(async () => {
  stage = await startRaceStage();
});
afterAll(() => stage.close());

describe.each(["design", "view"] as const)("assign against delete of the workspace-%s link", (kind) => {
  const whatOf = (end: string) =>
    "assign-against-delete-workspace-" + kind + (end === "workspace" ? "-by-workspace" : "");

  test.each(["resource", "workspace"] as const)(
    "leaves no link without its %s",
    async (end) => {
      // 2,000 of each link: half of them against the deletion of one end, half against that of the other.
      const races = raceSize({ gate: 64, chaos: 1000, long: 20_000 });
      const options = { kind, end, races, random: createRandom(seed), rewrite: unchanged };
      const { shownDeleted = [], strange, ...figures } = await raceLocalLinks(options);
      reportRace({ what: whatOf(end), promise: 8, races, ...figures, shownDeleted: shownDeleted.length });
      expect([figures.dangling, shownDeleted, strange]).toEqual([0, [], {}]);
      // The assignment and the deletion each come first in more than a tenth of many races; in few, chance decides.
      const often = raceSize({ gate: 0, chaos: 101, long: 2001 });
      expect(Math.min(figures.assigned, figures.refused)).toBeGreaterThanOrEqual(often);
      if (end === "resource") expect(figures.listed).toBeGreaterThanOrEqual(Math.min(often, 1));
    },
    RACE_DEADLINE_MS,
  );

  const withoutLockOn = (end: End): Rewrite => {
    const from = " from " + (end === "resource" ? kind : end) + "s where id = $1 and deleted_at is null";
    return (text) => text.replace(from + " for share", from).replace(from + " for update", from);
  };

  test.each(["resource", "workspace"] as const)("control: without the lock on the %s, it leaves some", async (end) => {
    const races = raceSize({ gate: 64, chaos: 400, long: 400 });
    const options = { kind, end, races, random: createRandom(seed), rewrite: withoutLockOn(end) };
    const { dangling } = await raceUntil(
      (outcomes) => outcomes.dangling > 0,
      () => raceLocalLinks(options),
    );
    reportRace({ what: whatOf(end) + "-control", promise: 8, races, dangling });
    expect(dangling).toBeGreaterThan(0);
  });

  test.each(["resource", "workspace"] as const)("nor if the %s is deleted before its insert", async (end) => {
    expect(await deleteBeforeInsert(kind, end, unchanged)).toBe(0);
  });

  test.each(["resource", "workspace"] as const)("control: without the lock on the %s, then it does", async (end) => {
    expect(await deleteBeforeInsert(kind, end, withoutLockOn(end))).toBe(1);
  });
});

/** The end of the link that is deleted. */
type End = "resource" | "workspace";

interface LocalRaces {
  readonly kind: "design" | "view";
  readonly end: End;
  readonly races: number;
  readonly random: Random;
  /** Changes the statements of the assigning transaction. */
  readonly rewrite: Rewrite;
}

/** Lists are watched only if the workspaces outlive the races. */
interface LocalOutcomes extends LinkOutcomes, Partial<Watched> {
  /** Links with a deleted end. */
  readonly dangling: number;
}

const LANES = 8;
/** An assignment has more statements than a deletion: released together, 94 of 1,000 came first. */
const SHIFT_AFTER = { refused: 0.1, assigned: -0.1 };
const kinds = {
  design: { link: designs, item: designItems },
  view: { link: views, item: viewItems },
};

/** Races assigns against deletions of one end, which is new for each race; the races of a lane share the other end. */
async function raceLocalLinks(options: LocalRaces): Promise<LocalOutcomes> {
  const { kind, end, races, random, rewrite } = options;
  const [plain, assigning] = [stage.contextWith((text) => text), stage.contextWith(rewrite)];
  const lanes = await stage.newOrganizations(LANES, end === "workspace" ? Math.ceil(races / LANES) + 1 : 2);
  const resources = await insertItems(kind, lanes, races);
  const list = () => listIn(plain, kind, random.pick(lanes as [RaceOrganization]));
  const watch = end === "resource" ? watchLists(list) : undefined;

  const placeOf = (race: number) => ({
    workspaceId: lanes[race % LANES]?.workspaces[end === "workspace" ? 1 + Math.floor(race / LANES) : 0] ?? "",
    resourceId: resources[race] ?? "",
  });
  const remove = async (place: Place) => {
    await deleteEnd(plain, kind, end, place);
    watch?.reportDeleted(place.resourceId);
  };

  const outcomes = await raceLinks({
    races,
    width: 2 * LANES,
    // The deletions of a lane's workspaces wait for each other, so they are released earlier.
    lateBy: () => (end === "workspace" ? random.between(-30, 0) : random.between(-3, 3)),
    shiftAfter: SHIFT_AFTER,
    assign: (race) => refusal(assignResource(assigning, system, kinds[kind].link, placeOf(race))),
    remove: (race) => refusal(remove(placeOf(race))),
    tooLate: end === "workspace" ? tooLate("workspace") : tooLate(kind),
  });
  const dangling = await stage.count(sql`assignments where resource_id = any($1)`, [resources]);
  return { ...outcomes, ...(await watch?.stop()), dangling };
}

/**
 * Deletes an end of a link right before the assignment inserts it: from then on the foreign key locks the workspace.
 * Returns the number of remaining links.
 */
async function deleteBeforeInsert(kind: "design" | "view", end: End, rewrite: Rewrite): Promise<number> {
  const context = stage.contextWith(rewrite);
  const lanes = await stage.newOrganizations(1, 2);
  const [resourceId = ""] = await insertItems(kind, lanes, 1);
  const place = { workspaceId: lanes[0]?.workspaces[0] ?? "", resourceId };
  await interleaveBefore(
    context.db,
    (text) => text.includes("insert into assignments"),
    (db) => assignResource({ ...context, db }, system, kinds[kind].link, place),
    () => deleteEnd(stage.contextWith(unchanged), kind, end, place),
  );
  return stage.count(sql`assignments where resource_id = $1`, [resourceId]);
}

interface Place {
  readonly workspaceId: string;
  readonly resourceId: string;
}

async function deleteEnd(context: Context, kind: "design" | "view", end: End, { workspaceId, resourceId }: Place) {
  if (end === "resource") await deleteItem(context, system, kinds[kind].item, { id: resourceId, etag: "" });
  else await deleteWorkspace(context, system, create(DeleteWorkspaceRequestSchema, { id: workspaceId }));
}

const tooLate = (what: string) => "404 " + what.toUpperCase() + "_NOT_FOUND: " + what + " not found";

async function insertItems(kind: "design" | "view", lanes: readonly RaceOrganization[], count: number) {
  const ids = Array.from({ length: count }, () => newId<Id>());
  const organizations = ids.map((_, race) => lanes[race % lanes.length]?.id);
  await execute(
    stage.db,
    statement`
      insert into ${kinds[kind].item.table} (id, organization_id, name, description, owner, visibility)
      select id, organization_id, '', '', '', 'public'
      from unnest($1::uuid[], $2::uuid[]) as t (id, organization_id)`,
    [ids, organizations],
  );
  await stage.fixture.ownerDb.read(statement`analyze ${kinds[kind].item.table}`);
  return ids;
}

async function listIn(context: Context, kind: "design" | "view", { workspaces }: RaceOrganization) {
  const page = { id: workspaces[0] ?? "", pageSize: 100n };
  const items =
    kind === "design"
      ? (await listWorkspaceDesigns(context, system, create(ListWorkspaceDesignsRequestSchema, page))).designs
      : (await listWorkspaceViews(context, system, create(ListWorkspaceViewsRequestSchema, page))).views;
  return items.map(({ id }) => id);
}
