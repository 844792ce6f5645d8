import { refusal } from "@cloud/access/testing";
import { newId } from "@cloud/access/values";
import { type SqlText, sql } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import {
  OrganizationCreatedSchema,
  OrganizationDeletedSchema,
  TeamDeletedSchema,
} from "@cloud/proto/identity/v1/events_pb";
import { countRows } from "@cloud/service/testing";
import { waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Fixture, logOf, newWorkspace, startFixture } from "./fixture.ts";

let f: Fixture;
beforeAll(async () => {
  f = await startFixture();
});
afterAll(() => f.stop());

const count = (from: SqlText, params: unknown[]) => countRows(f.db, from, params);

test("the event of a new organization creates its workspace", async () => {
  const organizationId = newId();
  f.identity.organizations.set(organizationId, f.identity.users.outsider);
  await f.publish(OrganizationCreatedSchema, { organizationId, owner: f.identity.users.outsider });
  const own = sql`workspaces where organization_id = $1 and name = 'My Workspace' and owner = $2`;
  await waitFor(
    async () => ((await count(own, [organizationId, f.identity.users.outsider])) === 1 ? true : undefined),
    {
      deadlineMs: 30_000,
    },
  );
  const { workspaces } = await f.provider.workspaces.listWorkspaces({ orgId: organizationId });
  expect(workspaces).toHaveLength(1);
  expect(await logOf(f.provider, workspaces[0]?.id ?? "")).toEqual(["create workspace success"]);
});

test.each(["environment", "team"] as const)(
  "a deleted %s is unlinked from its workspaces, and cannot be assigned again",
  async (kind) => {
    const workspace = await newWorkspace(f.admin, f.identity.home);
    const actor = f.identity.users.admin;
    const organizationId = f.identity.home;
    const resource =
      kind === "environment" ? f.environment.addEnvironment(organizationId) : f.identity.addTeam(organizationId, actor);
    const assign = () =>
      kind === "environment"
        ? f.admin.workspaces.assignEnvironment({ id: workspace.id, environmentId: resource })
        : f.admin.workspaces.assignTeam({ id: workspace.id, teamId: resource });
    const remove = () =>
      kind === "environment"
        ? f.admin.workspaces.removeEnvironment({ id: workspace.id, environmentId: resource })
        : f.admin.workspaces.removeTeam({ id: workspace.id, teamId: resource });
    await assign();
    (kind === "environment" ? f.environment : f.identity).deleted.add(resource);
    // The owner has deleted it, but its look-up still returns it, like one made just before the deletion.
    await (kind === "environment"
      ? f.publish(EnvironmentDeletedSchema, { environmentId: resource, organizationId, actor })
      : f.publish(TeamDeletedSchema, { teamId: resource, organizationId, actor }));
    await waitFor(
      async () => ((await count(sql`assignments where resource_id = $1`, [resource])) === 0 ? true : undefined),
      { deadlineMs: 30_000 },
    );
    expect(await refusal(assign())).toBe("404 " + kind.toUpperCase() + "_NOT_FOUND: " + kind + " not found");
    expect(await refusal(remove())).toMatch(/^404 (?:TEAM|ENVIRONMENT)_ASSIGNMENT_NOT_FOUND/);
    expect(await logOf(f.admin, workspace.id)).toEqual([
      "create workspace success",
      "assign " + kind + " success",
      "unassign " + kind + " success",
      "assign " + kind + " error",
      "unassign " + kind + " error",
    ]);
    const { data } = await f.admin.workspaces.listWorkspaceEvents({ id: workspace.id, search: "because" });
    expect(data).toMatchObject([{ owner: actor, actedUpon: resource, metadata: { reason: "deleted" } }]);
  },
);

test("everything in a deleted organization is deleted, its last workspace included", async () => {
  const organizationId = newId();
  f.identity.organizations.set(organizationId, "");
  const workspace = await newWorkspace(f.service, organizationId);
  const { design } = await f.service.designs.createDesign({ organizationId });
  await f.service.workspaces.assignDesign({ id: workspace.id, designId: design?.id ?? "" });
  f.identity.organizations.delete(organizationId);
  f.identity.deleted.add(organizationId);
  await f.publish(OrganizationDeletedSchema, { organizationId, actor: "" });
  const live = sql`workspaces where organization_id = $1 and deleted_at is null`;
  await waitFor(async () => ((await count(live, [organizationId])) === 0 ? true : undefined), { deadlineMs: 30_000 });
  expect(await count(sql`designs where organization_id = $1 and deleted_at is null`, [organizationId])).toBe(0);
  expect(await count(sql`assignments where workspace_id = $1`, [workspace.id])).toBe(0);
  expect(await refusal(f.service.workspaces.createWorkspace({ organizationId }))).toMatch(
    /^404 ORGANIZATION_NOT_FOUND/,
  );
  // A late event of its creation restores nothing.
  await f.publish(OrganizationCreatedSchema, { organizationId, owner: "" });
  const received = sql`inbox where received_at > now() - interval '1 hour'`;
  const before = await count(received, []);
  await f.publish(OrganizationCreatedSchema, { organizationId, owner: "" });
  await waitFor(async () => ((await count(received, [])) > before ? true : undefined), { deadlineMs: 30_000 });
  expect(await count(live, [organizationId])).toBe(0);
});
