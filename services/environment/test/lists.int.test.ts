import { refusal } from "@cloud/access/testing";
import { newId, type OrganizationId } from "@cloud/access/values";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Fixture, startFixture } from "./fixture.ts";
import { newConnection, newCredential, newEnvironment } from "./records.ts";

const viewAll = '403 PERMISSION_DENIED: permission "View All Organizations" is required';
const ALL = ["all", "ALL", "11111111-1111-1111-1111-111111111111"];

let fixture: Fixture;
let home: OrganizationId;
let abroad: OrganizationId;
beforeAll(async () => {
  fixture = await startFixture();
  ({ home, abroad } = fixture.identity);
  for (const name of ["one", "Two 50%", "three_3", "FOUR \\ ÄÖ"]) {
    await newEnvironment(fixture, home, { name, description: `number ${name.length}` });
  }
  await newEnvironment(fixture, abroad, { name: "foreign" });
});
afterAll(() => fixture.stop());

const names = async (request: object, clients = fixture.member) => {
  const reply = await clients.environments.listEnvironments({ orgId: home, ...request });
  return reply.environments.map((environment) => environment.name);
};

describe("listEnvironments", () => {
  test("all members see all environments of the organization, newest first", async () => {
    const reply = await fixture.member.environments.listEnvironments({ orgId: home.toUpperCase() });
    expect(reply).toMatchObject({ page: 0, pageSize: 25, totalCount: 4 });
    expect(reply.environments.map(({ name }) => name)).toEqual(["FOUR \\ ÄÖ", "three_3", "Two 50%", "one"]);
  });

  test("pages never repeat or skip a record, and a page past the end has the true count", async () => {
    const pages = await Promise.all([0n, 1n, 2n].map((page) => names({ page, pageSize: 2n })));
    expect(pages).toEqual([["FOUR \\ ÄÖ", "three_3"], ["Two 50%", "one"], []]);
    const past = await fixture.member.environments.listEnvironments({ orgId: home, page: 9n, pageSize: 1000n });
    expect(past).toMatchObject({ page: 9, pageSize: 100, totalCount: 4, environments: [] });
  });

  test("orders by creation or update", async () => {
    expect(await names({ order: "created_at asc", pageSize: 1n })).toEqual(["one"]);
    const { environments } = await fixture.member.environments.listEnvironments({ orgId: home, search: "one" });
    await fixture.admin.environments.updateEnvironment({ id: environments[0]?.id ?? "", name: "one" });
    expect(await names({ order: "updated_at desc", pageSize: 1n })).toEqual(["one"]);
    await fixture.admin.environments.updateEnvironment({
      id: environments[0]?.id ?? "",
      name: "one",
      description: "number 3",
    });
  });

  test.each([
    ["two", ["Two 50%"]],
    ["50%", ["Two 50%"]],
    ["_", ["three_3"]],
    ["\\", ["FOUR \\ ÄÖ"]],
    ["äö", ["FOUR \\ ÄÖ"]],
    ["NUMBER 3", ["one"]],
    ["%", ["Two 50%"]],
    ["nothing", []],
  ])("search %s", async (search, expected) => {
    expect(await names({ search })).toEqual(expected);
  });

  test.each([{ order: "name" }, { order: "created_at up" }, { page: -1n }, { pageSize: -1n }])(
    "refuses %p",
    async (request) => {
      expect(await refusal(names(request))).toMatch(/^400 INVALID_PARAMETER: (order|page|page_size) must be /);
    },
  );

  test("checks orgId", async () => {
    expect(await refusal(names({ orgId: "" }))).toBe("400 ORG_ID_REQUIRED: org_id is required");
    for (const orgId of [abroad, newId<OrganizationId>(), "x", ...ALL]) {
      expect(await refusal(names({ orgId }))).toBe(viewAll);
    }
    expect(await refusal(names({ orgId: home }, fixture.stranger))).toMatch(/^401 UNAUTHENTICATED/);
  });

  test.each(ALL)("a Provider Admin lists all organizations by %s", async (orgId) => {
    expect(await names({ orgId }, fixture.provider)).toContain("foreign");
    expect(await names({ orgId: abroad }, fixture.provider)).toEqual(["foreign"]);
  });

  test("a deleted organization is listed nowhere, even before its event arrives", async () => {
    const deleted = newId<OrganizationId>();
    fixture.identity.organizations.set(deleted, "");
    const { id } = await newEnvironment(fixture, deleted, { name: "of the dead" });
    expect(await names({ orgId: "all" }, fixture.provider)).toContain("of the dead");
    expect(await names({ orgId: deleted }, fixture.provider)).toEqual(["of the dead"]);
    fixture.identity.organizations.delete(deleted);
    fixture.identity.deleted.add(deleted);
    expect(await names({ orgId: "all" }, fixture.provider)).not.toContain("of the dead");
    expect(await refusal(names({ orgId: deleted }, fixture.provider))).not.toBe("not refused");
    expect(await refusal(fixture.provider.environments.getEnvironment({ id }))).toMatch(/^404 ENVIRONMENT_NOT_FOUND/);
    expect(await refusal(fixture.provider.environments.createEnvironment({ organizationId: deleted }))).toMatch(/^403/);
  });

  test("a confirmed creation or deletion is visible in the next list", async () => {
    const { id } = await newEnvironment(fixture, home, { name: "fleeting" });
    expect(await names({ search: "fleeting" })).toEqual(["fleeting"]);
    await fixture.admin.environments.deleteEnvironment({ id });
    expect(await names({ search: "fleeting" })).toEqual([]);
  });
});

describe("listConnections and listCredentials", () => {
  test("list the organization, with search and count", async () => {
    await newConnection(fixture, home, { name: "Alpha" });
    await newConnection(fixture, home, { name: "beta", description: "ALPHABET" });
    await newConnection(fixture, abroad, { name: "alpha abroad" });
    await newCredential(fixture, home);
    const connections = await fixture.member.connections.listConnections({ orgId: home, search: "alpha" });
    expect(connections.connections.map(({ name }) => name)).toEqual(["beta", "Alpha"]);
    expect(connections.totalCount).toBe(2);
    const all = await fixture.provider.connections.listConnections({ orgId: "all", search: "alpha", pageSize: 1n });
    expect(all).toMatchObject({ totalCount: 3, pageSize: 1 });
    const credentials = await fixture.member.credentials.listCredentials({ orgId: home, search: "CRED" });
    expect(credentials).toMatchObject({ totalCount: 1, credentials: [{ name: "credential", organizationId: home }] });
    const everywhere = await fixture.provider.credentials.listCredentials({ orgId: "all" });
    expect(everywhere.totalCount).toBe(1);
  });

  test("refuse the same requests as every list", async () => {
    for (const list of [fixture.member.connections.listConnections, fixture.member.credentials.listCredentials]) {
      expect(await refusal(list({}))).toBe("400 ORG_ID_REQUIRED: org_id is required");
      expect(await refusal(list({ orgId: abroad }))).toBe(viewAll);
      expect(await refusal(list({ orgId: "all" }))).toBe(viewAll);
      expect(await refusal(list({ orgId: home, order: "name" }))).toMatch(/^400 INVALID_PARAMETER: order must be /);
    }
  });
});
