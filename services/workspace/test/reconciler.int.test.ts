import { refusal } from "@cloud/access/testing";
import { newId, type OrganizationId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { createServiceTransport, type ServiceTransport } from "@cloud/rpc";
import { type ReconcileResult, reconcile } from "@cloud/service/references";
import { credentialOf, ownersFor } from "@cloud/service/testing";
import { execute, testTelemetry } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { referencesOf } from "../src/service.ts";
import { type Fixture, logOf, newWorkspace, startFixture } from "./fixture.ts";

let f: Fixture;
const telemetry = testTelemetry();
const { conditions } = telemetry;
let peers: Record<"identity" | "environment", ServiceTransport>;
beforeAll(async () => {
  f = await startFixture();
  peers = {
    identity: createServiceTransport({
      url: f.identity.url,
      serviceToken: credentialOf("workspace"),
      deadlineMs: 30_000,
    }),
    environment: createServiceTransport({
      url: f.environment.url,
      serviceToken: credentialOf("workspace"),
      deadlineMs: 30_000,
    }),
  };
});
afterAll(async () => {
  peers.identity.close();
  peers.environment.close();
  await f.stop();
});

/** Runs one pass over every kind; returns the results by name. */
async function pass(): Promise<Record<string, ReconcileResult>> {
  const kinds = referencesOf(f.db, ownersFor(peers, f.db, conditions));
  const seen: Record<string, ReconcileResult> = {};
  for (const kind of kinds) {
    seen[kind.name] = await reconcile(kind, { grace: async () => undefined });
  }
  return seen;
}

const nothing = { ended: 0, cleared: 0, unknown: [] };
const none = { "workspace-team": nothing, "workspace-environment": nothing, "workspace-organization": nothing };

async function linkedResources(workspaceId: string): Promise<string[]> {
  const text = statement<{ resource_id: string }>`
    select resource_id
    from assignments
    where workspace_id = $1`;
  const { rows } = await f.db.read(text, [workspaceId]);
  return rows.map((row) => row.resource_id);
}

describe("links with a deleted end", () => {
  test("1,000 to deleted records are deleted in one pass; live ones stay; a second pass finds none", async () => {
    const workspace = await newWorkspace(f.admin, f.identity.home);
    const environmentId = f.environment.addEnvironment(f.identity.home);
    await f.admin.workspaces.assignEnvironment({ id: workspace.id, environmentId });
    expect(await pass()).toEqual(none);

    const ids = Array.from({ length: 1_000 }, () => newId());
    for (const id of ids) {
      f.identity.deleted.add(id);
      f.environment.deleted.add(id);
    }
    const text = statement`
      insert into assignments (id, workspace_id, kind, resource_id)
      select gen_random_uuid(), $1, case when n % 2 = 0 then 'team' else 'environment' end, id
      from unnest($2::uuid[]) with ordinality as t (id, n)`;
    await execute(f.db, text, [workspace.id, ids]);
    const ended = { ...nothing, ended: 500 };
    expect(await pass()).toEqual({ ...none, "workspace-team": ended, "workspace-environment": ended });
    expect(await linkedResources(workspace.id)).toEqual([environmentId]);
    expect(await pass()).toEqual(none);
  });

  test("to records unknown to their owner are reported and kept, however often it is asked", async () => {
    const workspace = await newWorkspace(f.admin, f.identity.home);
    const teamId = f.identity.addTeam(f.identity.home);
    await f.admin.workspaces.assignTeam({ id: workspace.id, teamId });
    const team = f.identity.teams.get(teamId);
    f.identity.teams.delete(teamId);
    const lost = { ...none, "workspace-team": { ...nothing, unknown: [teamId] } };
    expect([await pass(), await pass()]).toEqual([lost, lost]);
    expect(await linkedResources(workspace.id)).toEqual([teamId]);

    f.identity.teams.set(teamId, team as NonNullable<typeof team>);
    expect(await pass()).toEqual(none);
  });
});

describe("organizations", () => {
  const newOrganization = async () => {
    const organizationId = newId<OrganizationId>();
    f.identity.organizations.set(organizationId, "");
    const workspace = await newWorkspace(f.service, organizationId);
    return { organizationId, workspace };
  };

  test("one that was deleted without an event is deleted with everything in it", async () => {
    const { organizationId, workspace } = await newOrganization();
    f.identity.deleted.add(organizationId);
    expect(await pass()).toEqual({ ...none, "workspace-organization": { ...nothing, ended: 1 } });
    expect(await refusal(f.service.workspaces.getWorkspace({ id: workspace.id }))).toMatch(/^404 WORKSPACE_NOT_FOUND/);
  });

  test("a live one that counts as deleted is restored, with what was deleted with it and nothing else", async () => {
    const { organizationId, workspace } = await newOrganization();
    const earlier = await newWorkspace(f.service, organizationId, "deleted before");
    await f.service.workspaces.deleteWorkspace({ id: earlier.id });
    const { design } = await f.service.designs.createDesign({ organizationId });
    const { view } = await f.service.views.createView({ organizationId });
    f.identity.deleted.add(organizationId);
    await pass();
    f.identity.deleted.delete(organizationId);

    expect(await pass()).toEqual({ ...none, "workspace-organization": { ...nothing, cleared: 1 } });
    const restored = [
      (await f.service.workspaces.getWorkspace({ id: workspace.id })).workspace,
      (await f.service.designs.getDesign({ id: design?.id ?? "" })).design,
      (await f.service.views.getView({ id: view?.id ?? "" })).view,
    ];
    const etag = expect.any(String);
    expect(restored).toEqual([workspace, design, view].map((record) => ({ ...record, etag })));
    const tagsBefore = [workspace, design, view].map((record) => record?.etag);
    expect(restored.filter((record) => tagsBefore.includes(record?.etag))).toEqual([]);
    expect(await refusal(f.service.workspaces.getWorkspace({ id: earlier.id }))).toMatch(/^404/);
    await newWorkspace(f.service, organizationId, "usable again");
    expect((await logOf(f.service, workspace.id)).at(-1)).toBe("update workspace error");
    expect(await pass()).toEqual(none);
  });
});

test("a live team that counts as deleted becomes assignable again; the workspace's log reports the lost link", async () => {
  const workspace = await newWorkspace(f.admin, f.identity.home);
  const teamId = f.identity.addTeam(f.identity.home);
  const assign = () => f.admin.workspaces.assignTeam({ id: workspace.id, teamId });
  await assign();
  f.identity.deleted.add(teamId);
  await pass();
  f.identity.deleted.delete(teamId); // its owner was restored to a time before the deletion
  expect(await refusal(assign())).toBe("404 TEAM_NOT_FOUND: team not found");

  expect(await pass()).toEqual({ ...none, "workspace-team": { ...nothing, cleared: 1 } });
  await assign();
  const { data } = await f.admin.workspaces.listWorkspaceEvents({ id: workspace.id, search: "has to be made again" });
  expect(data).toMatchObject([{ actedUpon: teamId, severity: "error", metadata: { reason: "restored" } }]);
  expect(await pass()).toEqual(none);
});

test("a peer that responds from another database has no effect and is reported, until the first one is back", async () => {
  const teamId = f.identity.addTeam(f.identity.home);
  const workspace = await newWorkspace(f.admin, f.identity.home);
  await f.admin.workspaces.assignTeam({ id: workspace.id, teamId });
  const first = f.identity.installationId();
  f.identity.moveTo(newId());
  f.identity.deleted.add(teamId); // even a record that is deleted in that database
  await expect(pass()).rejects.toThrow("identity answers from another database");
  expect(conditions.list()).toEqual([
    { name: "installation-of-identity", message: expect.stringContaining("docs/runbooks/restore.md") },
  ]);
  expect(await linkedResources(workspace.id)).toEqual([teamId]);

  f.identity.deleted.delete(teamId);
  f.identity.moveTo(first);
  expect(await pass()).toEqual(none);
  expect(conditions.list()).toEqual([]);
});
