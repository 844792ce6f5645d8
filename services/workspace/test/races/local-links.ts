import { create } from "@bufbuild/protobuf";
import { refusal } from "@cloud/access/testing";
import { type Id, newId } from "@cloud/access/values";
import { sql, statement } from "@cloud/postgres";
import {
  DeleteWorkspaceRequestSchema,
  ListWorkspaceDesignsRequestSchema,
  ListWorkspaceViewsRequestSchema,
} from "@cloud/proto/workspace/v1/workspace_service_pb";
import { execute } from "@cloud/testkit";
import type { Random } from "@cloud/testkit/figures";
import { type LinkOutcomes, type Rewrite, raceLinks, type Watched, watchLists } from "@cloud/testkit/races";
import { assignResource } from "../../src/assignments/assign-resource.ts";
import { designs, views } from "../../src/assignments/link-types.ts";
import { listWorkspaceDesigns, listWorkspaceViews } from "../../src/assignments/list-resources.ts";
import type { Context } from "../../src/context.ts";
import { deleteItem } from "../../src/library/delete-item.ts";
import { designs as designItems, views as viewItems } from "../../src/library/sql.ts";
import { deleteWorkspace } from "../../src/workspaces/delete-workspace.ts";
import { type RaceOrganization, type RaceStage, system } from "./race-stage.ts";

export interface LocalRaces {
  readonly kind: "design" | "view";
  /** Which end of the link is deleted. */
  readonly end: "resource" | "workspace";
  readonly races: number;
  readonly random: Random;
  /** Changes the statements of the assigning transaction. */
  readonly rewrite: Rewrite;
}

/** Lists are watched only if the workspaces outlive the races. */
export interface LocalOutcomes extends LinkOutcomes, Partial<Watched> {
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
export async function raceLocalLinks(stage: RaceStage, options: LocalRaces): Promise<LocalOutcomes> {
  const { kind, end, races, random, rewrite } = options;
  const [plain, assigning] = [stage.contextWith((text) => text), stage.contextWith(rewrite)];
  const lanes = await stage.newOrganizations(LANES, end === "workspace" ? Math.ceil(races / LANES) + 1 : 2);
  const resources = await insertItems(stage, kind, lanes, races);
  const list = () => listIn(plain, kind, random.pick(lanes as [RaceOrganization]));
  const watch = end === "resource" ? watchLists(list) : undefined;

  const placeOf = (race: number) => ({
    workspaceId: lanes[race % LANES]?.workspaces[end === "workspace" ? 1 + Math.floor(race / LANES) : 0] ?? "",
    resourceId: resources[race] ?? "",
  });
  const removeResource = async ({ resourceId }: { resourceId: string }) => {
    await deleteItem(plain, system, kinds[kind].item, { id: resourceId, etag: "" });
    watch?.reportDeleted(resourceId);
  };
  const removeWorkspace = ({ workspaceId }: { workspaceId: string }) =>
    deleteWorkspace(plain, system, create(DeleteWorkspaceRequestSchema, { id: workspaceId }));
  const remove = end === "workspace" ? removeWorkspace : removeResource;

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

const tooLate = (what: string) => "404 " + what.toUpperCase() + "_NOT_FOUND: " + what + " not found";

async function insertItems(
  stage: RaceStage,
  kind: "design" | "view",
  lanes: readonly RaceOrganization[],
  count: number,
) {
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
