import { create } from "@bufbuild/protobuf";
import { ListWorkspacesRequestSchema } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { newId, type OrganizationId } from "@cloud/rpc";
import { refusal } from "@cloud/rpc/testing";
import type { Rewrite } from "@cloud/testkit";
import { welcomeOrganization } from "../../src/organizations/welcome-organization.ts";
import { listWorkspaces } from "../../src/workspaces/list-workspaces.ts";
import { type RaceStage, system } from "./race-stage.ts";

/** Lists a new organization 50 times while the event of its creation arrives. Answers how many `My Workspace` it got. */
export async function raceForMyWorkspace(stage: RaceStage, rewrite: Rewrite) {
  const { peers } = stage.fixture;
  const context = stage.contextWith(rewrite);
  const orgId = newId<OrganizationId>();
  peers.organizations.set(orgId, peers.users.admin);
  const request = create(ListWorkspacesRequestSchema, { orgId });
  const lists = Array.from({ length: 50 }, () => refusal(listWorkspaces(context, system, request)));
  const event = context.db.withTransaction((tx) => welcomeOrganization(tx, orgId, peers.users.admin));
  const outcomes = new Set(await Promise.all([...lists, refusal(event)]));
  const made = await stage.count("workspaces where organization_id = $1 and name = 'My Workspace'", [orgId]);
  return { outcomes, made };
}

/** Lets `play` race without the unique key of initial workspaces, and puts it back. */
export async function withoutUniqueInitial<T>({ db }: RaceStage, play: (rewrite: Rewrite) => Promise<T>): Promise<T> {
  await db.query("drop index workspaces_initial");
  const played = await play((text) => text.replace("on conflict (organization_id) where initial do nothing ", ""));
  await db.query("update workspaces set initial = false");
  await db.query("create unique index workspaces_initial on workspaces (organization_id) where initial");
  return played;
}
