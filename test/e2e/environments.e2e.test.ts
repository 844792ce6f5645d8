import { joinTestStack, type TestStack } from "@cloud/local-stack/test-stack";
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

async function newEnvironment(name = "scratch"): Promise<string> {
  const { body } = await as.orgAdmin.post("/environments", { organizationId: first, name });
  return body.id;
}

test("POST /environments returns the record; no user can mark it as provisioned by the platform", async () => {
  const response = await as.workspaceAdmin.post("/environments", {
    organizationId: first,
    name: "Staging",
    platformProvisioned: true,
  });
  expect(response.status).toBe(201);
  expect(response.headers.get("location")).toBe("/api/environments/" + response.body.id);
  expect(response.body).toEqual({
    id: expect.any(String),
    name: "Staging",
    description: "",
    organizationId: first,
    platformProvisioned: false,
    metadata: {},
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    deletedAt: null,
    etag: response.headers.get("etag"),
  });
});

test.each<[unknown, string]>([
  [{}, "400 organizationId is required"],
  [{ organizationId: "x" }, "400 invalid organizationId format"],
])("POST /environments %j", async (body, expected) => {
  expect(refused(await as.orgAdmin.post("/environments", body))).toBe(expected);
});

test("POST /environments: permission, then the rules", async () => {
  const body = { organizationId: first, description: "x".repeat(256) };
  expect(refused(await as.user.post("/environments", body))).toBe('403 permission "Create Environment" is required');
  expect(refused(await as.outsider.post("/environments", body))).toBe(
    '403 permission "Create Environment" is required',
  );
  expect(refused(await as.orgAdmin.post("/environments", body))).toBe("500 Unable to create environment");
});

describe("PUT /environments/{id}", () => {
  test("replaces both fields; an omitted one becomes empty", async () => {
    const path = "/environments/" + (await newEnvironment("before"));
    const changed = await as.orgAdmin.put(path, { description: "only this", organizationId: first });
    expect(changed.body).toMatchObject({ name: "", description: "only this" });
    expect((await as.orgAdmin.put(path, {})).body).toMatchObject({ name: "", description: "" });
  });

  test("a missing body and null are refused, before any other check but authentication", async () => {
    const path = "/environments/" + (await newEnvironment("kept"));
    expect(refused(await as.orgAdmin.put(path))).toBe("400 Unable to update environment");
    expect(refused(await as.orgAdmin.put(path, null))).toBe("400 Unable to update environment");
    expect(refused(await as.anonymous.put(path, null))).toBe("401 a valid security token is required");
    expect((await as.orgAdmin.get(path)).body.name).toBe("kept");
  });

  test("a long name, no permission, another organization", async () => {
    const path = "/environments/" + (await newEnvironment());
    expect(refused(await as.orgAdmin.put(path, { name: "x".repeat(256) }))).toBe("500 Unable to update environment");
    expect(refused(await as.user.put(path, {}))).toBe('403 permission "Edit Environment" is required');
    expect(refused(await as.outsider.put(path, {}))).toBe("404 environment not found");
  });
});

describe("DELETE /environments/{id}", () => {
  test("deletes it once", async () => {
    const path = "/environments/" + (await newEnvironment());
    expect(refused(await as.outsider.delete(path))).toBe("404 no environment with the requested id");
    expect(refused(await as.user.delete(path))).toBe('403 permission "Delete Environment" is required');
    expect((await as.orgAdmin.delete(path)).status).toBe(204);
    expect(refused(await as.orgAdmin.delete(path))).toBe("404 no environment with the requested id");
    expect(refused(await as.orgAdmin.get(path))).toBe("404 environment not found");
  });

  test("the platform's is protected, and so are its connections", async () => {
    const { environments, connections } = stack.demo;
    const path = "/environments/" + environments.platformProvisioned;
    const connection = path + "/connections/" + connections[0];
    expect((await as.user.get(path)).body.platformProvisioned).toBe(true);
    expect(refused(await as.orgAdmin.delete(path))).toBe(
      "403 this environment is provisioned by the platform and cannot be deleted here",
    );
    expect(refused(await as.orgAdmin.post(connection))).toBe(
      "403 this connection cannot be assigned to this environment",
    );
    expect(refused(await as.orgAdmin.delete(connection))).toBe(
      "403 this connection cannot be detached from this environment",
    );
  });
});

test("connections: assigned once, listed by name, removed once", async () => {
  const path = "/environments/" + (await newEnvironment()) + "/connections";
  const [one = ""] = stack.demo.connections;
  const created = await as.orgAdmin.post(path + "/" + one);
  expect(created.status).toBe(200);
  expect(created.body).toMatchObject({ connectionId: one, deletedAt: null });
  expect((await as.orgAdmin.post(path + "/" + one)).body).toEqual(created.body);

  const members = await as.user.get(path + "?order=name");
  expect(members.body.connections).toMatchObject([{ id: one, metadata: {}, deletedAt: null }]);
  const others = await as.user.get(path + "?order=name&filter=" + encodeURIComponent('{"assigned":false}'));
  const names: string[] = others.body.connections.map((connection: { name: string }) => connection.name);
  expect(others.body.connections.map((connection: { id: string }) => connection.id)).not.toContain(one);
  expect(names).toEqual([...names].sort());

  expect(refused(await as.user.delete(path + "/" + one))).toBe(
    '403 permission "Remove connections from environment" is required',
  );
  expect((await as.orgAdmin.delete(path + "/" + one)).status).toBe(204);
  expect(refused(await as.orgAdmin.delete(path + "/" + one))).toBe("404 no such connection assignment");
  expect(refused(await as.orgAdmin.post(path + "/01890000-0000-7000-8000-000000000000"))).toBe(
    "404 connection not found",
  );
});

test("GET /environments lists the organization's, to every member", async () => {
  const { body } = await as.user.get("/environments?orgId=" + first + "&pageSize=100");
  const ids = body.environments.map((environment: { id: string }) => environment.id);
  expect(ids).toContain(stack.demo.environments.ordinary);
  expect(ids).toContain(stack.demo.environments.platformProvisioned);
  expect(refused(await as.outsider.get("/environments?orgId=" + first))).toBe(
    '403 permission "View All Organizations" is required',
  );
});
