import { create } from "@bufbuild/protobuf";
import { refusal } from "@cloud/access/testing";
import { newId, type OrganizationId } from "@cloud/access/values";
import { sql, statement } from "@cloud/postgres";
import { ListWorkspacesRequestSchema } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { execute } from "@cloud/testkit";
import { type Rewrite, raceSize, raceUntil, reportRace } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { provisionOrganization } from "../../src/organizations/ensure-organizations.ts";
import { listWorkspaces } from "../../src/workspaces/list-workspaces.ts";
import { type RaceStage, startRaceStage, system, unchanged } from "./race-stage.ts";

const LISTS = 50;
let stage: RaceStage;
beforeAll(async () => {
  stage = await startRaceStage();
});
afterAll(() => stage.close());

describe("a new organization, raced by 50 lists and the event of its creation", () => {
  test("gets exactly one My Workspace", async () => {
    for (let round = 0; round < raceSize({ gate: 1, chaos: 20, long: 200 }); round++) {
      expect(await raceForMyWorkspace(unchanged)).toEqual({ outcomes: new Set(["not refused"]), made: 1 });
    }
  });

  test("control: without the unique key it gets several", async () => {
    const race = () => withoutUniqueInitial(raceForMyWorkspace);
    const { made } = await raceUntil((outcome) => outcome.made > 1, race);
    reportRace({ what: "new-organization-control", promise: 10, lists: LISTS, made });
    expect(made).toBeGreaterThan(1);
  });

  test("gets one from two events", async () => {
    expect(await provisionTwice(unchanged)).toBe(1);
  });

  test("control: without the unique key it gets one from each event", async () => {
    expect(await withoutUniqueInitial(provisionTwice)).toBe(2);
  });
});

/** Lists a new organization `LISTS` times while the event of its creation arrives. Counts the `My Workspace` it got. */
async function raceForMyWorkspace(rewrite: Rewrite) {
  const { identity } = stage.fixture;
  const context = stage.contextWith(rewrite);
  const orgId = newId<OrganizationId>();
  identity.organizations.set(orgId, identity.users.admin);
  const request = create(ListWorkspacesRequestSchema, { orgId });
  const lists = Array.from({ length: LISTS }, () => refusal(listWorkspaces(context, system, request)));
  const event = context.db.transaction((tx) => provisionOrganization(tx, orgId, identity.users.admin));
  const outcomes = new Set(await Promise.all([...lists, refusal(event)]));
  return { outcomes, made: await countMade(orgId) };
}

/** Applies the event of a new organization's creation twice. Counts the `My Workspace` it got. */
async function provisionTwice(rewrite: Rewrite): Promise<number> {
  const { db } = stage.contextWith(rewrite);
  const orgId = newId<OrganizationId>();
  for (let event = 0; event < 2; event++) {
    await db.transaction((tx) => provisionOrganization(tx, orgId, stage.fixture.identity.users.admin));
  }
  return await countMade(orgId);
}

const countMade = (id: OrganizationId) =>
  stage.count(sql`workspaces where organization_id = $1 and name = 'My Workspace'`, [id]);

/** Runs `play` without the unique key of initial workspaces, and then restores the key. */
async function withoutUniqueInitial<T>(play: (rewrite: Rewrite) => Promise<T>): Promise<T> {
  const { fixture } = stage;
  await execute(fixture.ownerDb, statement`drop index workspaces_initial`);
  const played = await play((text) => text.replace(/on conflict \(organization_id\) where initial do nothing/, ""));
  await execute(
    fixture.db,
    statement`
    update workspaces
    set initial = false`,
  );
  await execute(
    fixture.ownerDb,
    statement`create unique index workspaces_initial on workspaces (organization_id) where initial`,
  );
  return played;
}
