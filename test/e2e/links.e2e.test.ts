import { joinTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { createServiceTransport } from "@cloud/rpc";
import { waitFor } from "@cloud/testkit";
import { createClient } from "@connectrpc/connect";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type RestClients, refused, restClients } from "./rest.ts";

let stack: TestStack;
let as: RestClients;
let first: string;
beforeAll(async () => {
  stack = await joinTestStack();
  as = restClients(stack.demo);
  first = stack.demo.organizations[0]?.id ?? "";
});

const idOf = (response: { body: { id: string } }) => response.body.id;
const newWorkspace = async () => idOf(await as.orgAdmin.post("/workspaces", { organizationId: first }));
const newEnvironment = async () => idOf(await as.orgAdmin.post("/environments", { organizationId: first }));
const newTeam = async () => idOf(await as.orgAdmin.post("/identity/teams", { organizationId: first, name: "Team" }));

/** Waits until the workspace's log reports the end of a link because its resource was deleted. */
const endedByDeletion = (workspaceId: string) =>
  waitFor(
    async () => {
      const { body } = await as.orgAdmin.get("/workspaces/" + workspaceId + "/events?search=was%20deleted");
      return body.totalCount > 0 ? body.data[0] : undefined;
    },
    { deadlineMs: 30_000 },
  );

describe.each([
  ["environment", newEnvironment, "/environments/"],
  ["team", newTeam, "/identity/teams/"],
] as const)("a deleted %s", (kind, create, path) => {
  test("is listed nowhere from then on, and its link is deleted by the event, with a line in the log", async () => {
    const [workspace, resource] = [await newWorkspace(), await create()];
    const list = "/workspaces/" + workspace + "/" + kind + "s";
    const assigned = await as.orgAdmin.post(list + "/" + resource);
    expect(assigned.status).toBe(200);
    expect(assigned.body).toMatchObject({ workspaceId: workspace, [kind + "Id"]: resource });
    expect((await as.user.get(list)).body.totalCount).toBe(1);

    expect((await as.orgAdmin.delete(path + resource)).status).toBe(204);
    expect((await as.user.get(list)).body.totalCount).toBe(0);
    expect((await as.user.get(list + "?filter.assigned=false&search=")).body[kind + "s"]).not.toContainEqual(
      expect.objectContaining({ id: resource }),
    );
    expect(refused(await as.orgAdmin.post(list + "/" + resource))).toBe("404 " + kind + " not found");

    expect(await endedByDeletion(workspace)).toMatchObject({
      action: "unassign",
      severity: "success",
      owner: stack.demo.users.orgAdmin.id,
      actedUpon: resource,
      actedUponKind: kind,
      metadata: { reason: "deleted" },
    });
    expect(refused(await as.orgAdmin.delete(list + "/" + resource))).toBe("404 no such " + kind + " assignment");
  });
});

test("the platform's environment and others' are not attached", async () => {
  const list = "/workspaces/" + (await newWorkspace()) + "/environments/";
  const second = stack.demo.organizations[1]?.id;
  const foreign = idOf(await as.outsider.post("/environments", { organizationId: second }));
  expect(refused(await as.orgAdmin.post(list + stack.demo.environments.platformProvisioned))).toBe(
    "403 this environment is provisioned by the platform and cannot be added to a workspace",
  );
  expect(refused(await as.orgAdmin.post(list + foreign))).toBe("403 unable to add environment to workspace");
  expect(
    refused(await as.orgAdmin.post("/workspaces/" + (await newWorkspace()) + "/teams/" + stack.demo.teams.second[0])),
  ).toBe("403 unable to add team to workspace");
  expect(refused(await as.orgAdmin.delete(list + foreign))).toBe("404 no such environment assignment");
});

test("a filter in each of its spellings", async () => {
  const [workspace, environment] = [await newWorkspace(), await newEnvironment()];
  const list = "/workspaces/" + workspace + "/environments";
  await as.orgAdmin.post(list + "/" + environment);
  const has = async (query: string) => {
    const { body } = await as.user.get(list + query);
    return body.environments.some((one: { id: string }) => one.id === environment);
  };
  expect(await has("")).toBe(true);
  for (const filter of ["filter=%7B%22assigned%22%3Atrue%7D", "filter.assigned=true", "filter%5Bassigned%5D=true"]) {
    expect(await has("?" + filter)).toBe(true);
    expect(await has("?" + filter.replace("true", "false"))).toBe(false);
  }
  expect(await has("?filter=" + encodeURIComponent('{"unknown":1}'))).toBe(true);
  expect(await has("?filter=&filter.assigned=")).toBe(true);
  for (const bad of ["filter=%7B%22assigned%22%3A%22yes%22%7D", "filter.assigned=maybe", "filter=%5B%5D"]) {
    expect((await as.user.get(list + "?" + bad)).body).toMatchObject({ code: "INVALID_PARAMETER" });
  }
});

test("access ends with the call right after the response to a deletion", async () => {
  const access = createClient(
    AccessService,
    createServiceTransport({ url: stack.services.workspace, serviceToken: stack.serviceToken, deadlineMs: 30_000 }),
  );
  const userId = stack.demo.users.user.id;
  const allowed = async (resourceKind: string, resourceId: string) =>
    (await access.checkAccess({ userId, resourceKind, resourceId })).allowed;
  const [workspace, environment, team] = [await newWorkspace(), await newEnvironment(), await newTeam()];
  const [connection = ""] = stack.demo.connections;
  expect((await as.orgAdmin.post("/identity/teams/" + team + "/members/" + userId)).status).toBe(200);
  await as.orgAdmin.post("/environments/" + environment + "/connections/" + connection);
  await as.orgAdmin.post("/workspaces/" + workspace + "/environments/" + environment);
  expect(await allowed("environment", environment)).toBe(false);
  await as.orgAdmin.post("/workspaces/" + workspace + "/teams/" + team);
  expect([await allowed("environment", environment), await allowed("connection", connection)]).toEqual([true, true]);
  await as.orgAdmin.delete("/environments/" + environment);
  expect([await allowed("environment", environment), await allowed("connection", connection)]).toEqual([false, false]);
  expect(await allowed("workspace", workspace)).toBe(true);
  await as.orgAdmin.delete("/identity/teams/" + team);
  expect(await allowed("workspace", workspace)).toBe(false);
});

test("a new organization has its workspace in the first list, and is deleted with all its records", async () => {
  const organization = idOf(await as.user.post("/identity/organizations", { name: "Third" }));
  const list = "/workspaces?orgId=" + organization;
  const replies = await Promise.all(Array.from({ length: 10 }, () => as.user.get(list)));
  for (const { body } of replies) {
    expect(body.workspaces).toMatchObject([{ name: "My Workspace", owner: stack.demo.users.user.id }]);
  }
  const environment = idOf(await as.user.post("/environments", { organizationId: organization }));
  expect((await as.user.delete("/identity/organizations/" + organization)).status).toBe(204);
  expect(refused(await as.user.get(list))).toBe('403 permission "View All Organizations" is required');
  expect(refused(await as.providerAdmin.get("/environments/" + environment))).toBe("404 environment not found");
});
