import { newId } from "@cloud/access/values";
import { listParked } from "@cloud/events";
import { statement } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { OrganizationDeletedSchema, TeamDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import { waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Fixture, newWorkspace, startFixture } from "./fixture.ts";

let f: Fixture;
beforeAll(async () => {
  f = await startFixture();
});
afterAll(() => f.stop());

const parked = (count: number) =>
  waitFor(
    async () => {
      const messages = await listParked(f.db);
      return messages.length >= count ? messages : undefined;
    },
    { deadlineMs: 30_000 },
  );

test("deletions that the owner refutes, or of records unknown to it, change nothing and are parked", async () => {
  const { home: organizationId } = f.identity;
  const workspace = await newWorkspace(f.admin, organizationId);
  const environmentId = f.environment.addEnvironment(organizationId);
  const teamId = f.identity.addTeam(organizationId);
  await f.admin.workspaces.assignEnvironment({ id: workspace.id, environmentId });
  await f.admin.workspaces.assignTeam({ id: workspace.id, teamId });
  f.identity.teams.delete(teamId);

  const actor = "mallory";
  await f.publish(EnvironmentDeletedSchema, { environmentId, organizationId, actor });
  await f.publish(OrganizationDeletedSchema, { organizationId, actor });
  await f.publish(TeamDeletedSchema, { teamId, organizationId, actor });
  await f.publish(TeamDeletedSchema, { teamId: "no id", organizationId, actor });

  const seen = (await parked(4)).map(({ type, reason, tries }) => `${type} ${reason} ${tries}`).sort();
  expect(seen).toEqual([
    "environment.v1.EnvironmentDeleted refuted 1",
    "identity.v1.OrganizationDeleted refuted 1",
    "identity.v1.TeamDeleted failed 1",
    "identity.v1.TeamDeleted unknown 1",
  ]);
  const { rows } = await f.db.read(
    statement`
      select
      from assignments
      where workspace_id = $1`,
    [workspace.id],
  );
  expect(rows).toHaveLength(2);
  expect((await f.admin.workspaces.getWorkspace({ id: workspace.id })).workspace?.id).toBe(workspace.id);
});

test("a peer that responds from another database confirms no deletion", async () => {
  const environmentId = f.environment.addEnvironment(f.identity.home);
  const before = (await listParked(f.db)).length;
  f.environment.deleted.add(environmentId);
  f.environment.moveTo(newId());
  await f.publish(EnvironmentDeletedSchema, { environmentId, organizationId: f.identity.home, actor: "" });
  expect((await parked(before + 1)).at(-1)).toMatchObject({ reason: "unknown" });
});
