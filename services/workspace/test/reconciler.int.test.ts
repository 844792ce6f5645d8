import { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import { createServiceTransport, newId } from "@cloud/rpc";
import { refusal } from "@cloud/rpc/testing";
import { reconcile } from "@cloud/service";
import { testTelemetry } from "@cloud/testkit";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { referencesOf } from "../src/references.ts";
import { type Fixture, newWorkspace, startFixture } from "./fixture.ts";
import { SERVICE_TOKEN } from "./peers.ts";

let f: Fixture;
beforeAll(async () => {
  f = await startFixture();
});
afterAll(() => f.stop());

/** One pass over every kind, by name. */
async function pass(): Promise<Record<string, number>> {
  const peer = createServiceTransport({ url: f.peers.url, serviceToken: SERVICE_TOKEN });
  const kinds = referencesOf({
    db: f.db,
    identity: createClient(IdentityDirectory, peer),
    environment: createClient(EnvironmentDirectory, peer),
    log: testTelemetry().log,
  });
  const repairs: Record<string, number> = {};
  for (const kind of kinds) {
    repairs[kind.name] = await reconcile(kind, async () => undefined);
  }
  return repairs;
}

const none = { "workspace-team": 0, "workspace-environment": 0, "workspace-organization": 0 };

test("1,000 dangling links are repaired in one pass; what lives stays; a second pass finds nothing", async () => {
  const workspace = await newWorkspace(f.admin, f.peers.home);
  const environmentId = f.peers.addEnvironment(f.peers.home);
  await f.admin.workspaces.assignEnvironment({ id: workspace.id, environmentId });
  expect(await pass()).toEqual(none);

  await f.db.query(
    "insert into assignments (id, workspace_id, kind, resource_id) " +
      "select gen_random_uuid(), $1, case when n % 2 = 0 then 'team' else 'environment' end, gen_random_uuid() " +
      "from generate_series(1, 1000) n",
    [workspace.id],
  );
  expect(await pass()).toEqual({ ...none, "workspace-team": 500, "workspace-environment": 500 });
  const { rows } = await f.db.query("select resource_id from assignments where workspace_id = $1", [workspace.id]);
  expect(rows).toEqual([{ resource_id: environmentId }]);
  expect(await pass()).toEqual(none);
});

test("an organization that is gone without an event goes with everything in it", async () => {
  const organizationId = newId();
  f.peers.organizations.set(organizationId, "");
  const workspace = await newWorkspace(f.service, organizationId);
  f.peers.organizations.delete(organizationId);
  expect(await pass()).toEqual({ ...none, "workspace-organization": 1 });
  expect(await refusal(f.service.workspaces.getWorkspace({ id: workspace.id }))).toMatch(/^404 WORKSPACE_NOT_FOUND/);
});
