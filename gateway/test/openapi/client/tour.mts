// A tour with the client that is generated from the OpenAPI document. The test copies this file into the client's folder,
// where it is type-checked against it, and runs it with the addresses and ids in its environment.
import assert from "node:assert/strict";
import { client } from "./client.gen.js";
import {
  assignEnvironment,
  createEnvironment,
  createWorkspace,
  deleteEnvironment,
  deleteWorkspace,
  getProfile,
  getWorkspace,
  listWorkspaceEnvironments,
  listWorkspaceEvents,
  listWorkspaces,
  updateWorkspace,
} from "./sdk.gen.js";
import type { Workspace } from "./types.gen.js";

const { GATEWAY = "", TOKEN = "", ORGANIZATION: organizationId = "" } = process.env;
client.setConfig({ baseUrl: GATEWAY, auth: () => TOKEN });

const profile = await getProfile({ throwOnError: true });
assert.deepEqual(profile.data.roleNames, ["Org Admin"]);

const created = await createWorkspace({
  body: { organizationId, name: "Tour", metadata: { a: 1 } },
  throwOnError: true,
});
const workspace: Workspace = created.data;
const path = { id: workspace.id };
assert.equal(new Date(workspace.createdAt).getUTCFullYear() > 2000, true);
assert.equal(workspace.deletedAt, null);

const updated = await updateWorkspace({ path, body: { description: "by a generated client" }, throwOnError: true });
assert.equal(updated.data.name, "Tour");

const { data: environment } = await createEnvironment({
  body: { organizationId, name: "Staging" },
  throwOnError: true,
});
await assignEnvironment({ path: { ...path, environmentId: environment.id }, throwOnError: true });
const totals = [true, false].map(async (assigned) => {
  const query = { filter: { assigned }, search: "Staging", order: "created_at asc", pageSize: 100 } as const;
  const { data } = await listWorkspaceEnvironments({ path, query, throwOnError: true });
  return data.environments.filter(({ id }) => id === environment.id).length;
});
assert.deepEqual(await Promise.all(totals), [1, 0]);

const { data: list } = await listWorkspaces({ query: { orgId: organizationId, page: 0 }, throwOnError: true });
assert.equal(
  list.workspaces.some(({ id }) => id === workspace.id),
  true,
);

await deleteEnvironment({ path: { id: environment.id }, throwOnError: true });
await deleteWorkspace({ path, throwOnError: true });
const gone = await getWorkspace({ path });
assert.equal(gone.response?.status, 404);
// The code of a 404 of this operation is one of a union.
const code: "WORKSPACE_NOT_FOUND" | undefined = gone.error && "code" in gone.error ? narrow(gone.error) : undefined;
assert.equal(code, "WORKSPACE_NOT_FOUND");

const { data: events } = await listWorkspaceEvents({ path, query: { order: "created_at asc" }, throwOnError: true });
assert.equal(events.data[0]?.action, "create");
process.stdout.write("toured\n");

function narrow(error: { code: string }): "WORKSPACE_NOT_FOUND" | undefined {
  return error.code === "WORKSPACE_NOT_FOUND" ? error.code : undefined;
}
