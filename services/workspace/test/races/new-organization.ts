import { create } from "@bufbuild/protobuf";
import { refusal } from "@cloud/access/testing";
import { newId, type OrganizationId } from "@cloud/access/values";
import { sql, statement } from "@cloud/postgres";
import { ListWorkspacesRequestSchema } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { execute } from "@cloud/testkit";
import type { Rewrite } from "@cloud/testkit/races";
import { provisionOrganization } from "../../src/organizations/ensure-organizations.ts";
import { listWorkspaces } from "../../src/workspaces/list-workspaces.ts";
import { type RaceStage, system } from "./race-stage.ts";

/** Lists a new organization 50 times while the event of its creation arrives. Counts the `My Workspace` it got. */
export async function raceForMyWorkspace(stage: RaceStage, rewrite: Rewrite) {
  const { identity } = stage.fixture;
  const context = stage.contextWith(rewrite);
  const orgId = newId<OrganizationId>();
  identity.organizations.set(orgId, identity.users.admin);
  const request = create(ListWorkspacesRequestSchema, { orgId });
  const lists = Array.from({ length: 50 }, () => refusal(listWorkspaces(context, system, request)));
  const event = context.db.transaction((tx) => provisionOrganization(tx, orgId, identity.users.admin));
  const outcomes = new Set(await Promise.all([...lists, refusal(event)]));
  return { outcomes, made: await countMade(stage, orgId) };
}

/** Applies the event of a new organization's creation twice. Counts the `My Workspace` it got. */
export async function provisionTwice(stage: RaceStage, rewrite: Rewrite): Promise<number> {
  const { db } = stage.contextWith(rewrite);
  const orgId = newId<OrganizationId>();
  for (let event = 0; event < 2; event++) {
    await db.transaction((tx) => provisionOrganization(tx, orgId, stage.fixture.identity.users.admin));
  }
  return await countMade(stage, orgId);
}

const countMade = (stage: RaceStage, id: OrganizationId) =>
  stage.count(sql`workspaces where organization_id = $1 and name = 'My Workspace'`, [id]);

/** Runs `play` without the unique key of initial workspaces, and then restores the key. */
export async function withoutUniqueInitial<T>(
  { fixture }: RaceStage,
  play: (rewrite: Rewrite) => Promise<T>,
): Promise<T> {
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
