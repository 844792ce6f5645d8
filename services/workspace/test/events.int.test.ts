import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import {
  OrganizationCreatedSchema,
  OrganizationDeletedSchema,
  TeamDeletedSchema,
} from "@cloud/proto/identity/v1/events_pb";
import { newId } from "@cloud/rpc";
import { refusal } from "@cloud/rpc/testing";
import { waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Fixture, logOf, newWorkspace, startFixture } from "./fixture.ts";

let f: Fixture;
beforeAll(async () => {
  f = await startFixture();
});
afterAll(() => f.stop());

const count = async (text: string, params: unknown[]) =>
  Number((await f.db.query<{ count: string }>("select count(*) as count from " + text, params)).rows[0]?.count);

test("a new organization gets its workspace by the event", async () => {
  const organizationId = newId();
  f.peers.organizations.set(organizationId, f.peers.users.outsider);
  await f.publish(OrganizationCreatedSchema, { organizationId, owner: f.peers.users.outsider });
  const own = "workspaces where organization_id = $1 and name = 'My Workspace' and owner = $2";
  await waitFor(async () => ((await count(own, [organizationId, f.peers.users.outsider])) === 1 ? true : undefined), {
    deadlineMs: 10_000,
  });
  const { workspaces } = await f.provider.workspaces.listWorkspaces({ orgId: organizationId });
  expect(workspaces).toHaveLength(1);
  expect(await logOf(f.provider, workspaces[0]?.id ?? "")).toEqual(["create workspace success"]);
});

test.each(["environment", "team"] as const)(
  "a deleted %s leaves its workspaces, and cannot come back",
  async (kind) => {
    const workspace = await newWorkspace(f.admin, f.peers.home);
    const actor = f.peers.users.admin;
    const organizationId = f.peers.home;
    const resource =
      kind === "environment" ? f.peers.addEnvironment(organizationId) : f.peers.addTeam(organizationId, actor);
    const assign = () =>
      kind === "environment"
        ? f.admin.workspaces.assignEnvironment({ id: workspace.id, environmentId: resource })
        : f.admin.workspaces.assignTeam({ id: workspace.id, teamId: resource });
    await assign();
    // The neighbour has deleted it; the look-up before the transaction is one that came a moment too early.
    await (kind === "environment"
      ? f.publish(EnvironmentDeletedSchema, { environmentId: resource, organizationId, actor })
      : f.publish(TeamDeletedSchema, { teamId: resource, organizationId, actor }));
    await waitFor(
      async () => ((await count("assignments where resource_id = $1", [resource])) === 0 ? true : undefined),
      { deadlineMs: 10_000 },
    );
    expect(await refusal(assign())).toBe("404 " + kind.toUpperCase() + "_NOT_FOUND: " + kind + " not found");
    expect(await logOf(f.admin, workspace.id)).toEqual([
      "create workspace success",
      "assign " + kind + " success",
      "unassign " + kind + " success",
      "assign " + kind + " error",
    ]);
    const { data } = await f.admin.workspaces.listWorkspaceEvents({ id: workspace.id, search: "because" });
    expect(data).toMatchObject([{ owner: actor, actedUpon: resource, metadata: { reason: "deleted" } }]);
  },
);

test("a deleted organization takes everything with it, past the floor", async () => {
  const organizationId = newId();
  f.peers.organizations.set(organizationId, "");
  const workspace = await newWorkspace(f.service, organizationId);
  const { design } = await f.service.designs.createDesign({ organizationId });
  await f.service.workspaces.assignDesign({ id: workspace.id, designId: design?.id ?? "" });
  f.peers.organizations.delete(organizationId);
  await f.publish(OrganizationDeletedSchema, { organizationId, actor: "" });
  const live = "workspaces where organization_id = $1 and deleted_at is null";
  await waitFor(async () => ((await count(live, [organizationId])) === 0 ? true : undefined), { deadlineMs: 10_000 });
  expect(await count("designs where organization_id = $1 and deleted_at is null", [organizationId])).toBe(0);
  expect(await count("assignments where workspace_id = $1", [workspace.id])).toBe(0);
  expect(await refusal(f.service.workspaces.createWorkspace({ organizationId }))).toMatch(
    /^404 ORGANIZATION_NOT_FOUND/,
  );
  // The event of its creation, come late, wakes nothing.
  await f.publish(OrganizationCreatedSchema, { organizationId, owner: "" });
  const received = "inbox where received_at > now() - interval '1 hour'";
  const before = await count(received, []);
  await f.publish(OrganizationCreatedSchema, { organizationId, owner: "" });
  await waitFor(async () => ((await count(received, [])) > before ? true : undefined), { deadlineMs: 10_000 });
  expect(await count(live, [organizationId])).toBe(0);
});
