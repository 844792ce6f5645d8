import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Rest, type RestCalls, type RestClients, refused, restClients, restFor } from "../rest.ts";
import { systemRest } from "../system-rest.ts";
import { type Place, preparePlace, tryOperation } from "./permission-targets.ts";
import { type MatrixCaller, OPERATIONS, promisedStatus } from "./promised-permissions.ts";

let stack: OwnTestStack;
let as: RestClients;
let system: RestCalls;
let first: Place;
let second: Place;
beforeAll(async () => {
  stack = await startTestStack();
  const { demo } = stack;
  as = restClients(demo);
  system = systemRest(stack);
  first = await preparePlace(system, demo.organizations[0]?.id ?? "", demo.users.orgAdmin.id);
  second = await preparePlace(system, demo.organizations[1]?.id ?? "", demo.users.outsider.id);
});
afterAll(() => stack.stop());

/** Creates a user for one test, with the given roles in each organization. */
async function newMember(name: string, roles: Readonly<Record<string, string[]>>): Promise<{ id: string; rest: Rest }> {
  const { body: user } = await system.post("/identity/users", { email: name + "@matrix.example" });
  const { body: token } = await system.post("/identity/tokens", { userId: user.id });
  for (const [organization, roleNames] of Object.entries(roles)) await setRoles(organization, user.id, roleNames);
  return { id: user.id, rest: restFor(stack.demo, token.secret) };
}

async function setRoles(organization: string, user: string, roleNames: string[]): Promise<void> {
  const { status } = await as.providerAdmin.put(memberPath(organization, user), { roleNames });
  expect(status).toBe(200);
}

const memberPath = (organization: string, user: string) =>
  "/identity/organizations/" + organization + "/members/" + user;

/** Returns the status of every operation of the specification, by its name. */
async function statusesOf(caller: RestCalls, place: Place): Promise<Record<string, number>> {
  const tried = OPERATIONS.map(async (operation) => {
    const { status } = await tryOperation(system, caller, operation, place);
    return [operation.name, status] as const;
  });
  return Object.fromEntries(await Promise.all(tried));
}

const promisedTo = (caller: MatrixCaller) =>
  Object.fromEntries(OPERATIONS.map((operation) => [operation.name, promisedStatus(operation, caller)]));

test("a user with different roles in two organizations has the keys of the respective role in each", async () => {
  const { rest } = await newMember("two-roles", {
    [first.organizationId]: ["Workspace Admin"],
    [second.organizationId]: ["User"],
  });
  expect(await statusesOf(rest, first)).toEqual(promisedTo("workspaceAdmin"));
  expect(await statusesOf(rest, second)).toEqual(promisedTo("user"));
});

test("a user with two roles in one organization has the keys of both", async () => {
  const { rest } = await newMember("both-roles", { [first.organizationId]: ["User", "Workspace Admin"] });
  expect(await statusesOf(rest, first)).toEqual(promisedTo("workspaceAdmin"));
});

test("a Provider Admin is a member of every organization", async () => {
  const { body: profile } = await as.providerAdmin.get("/identity/users/profile");
  expect(profile.organizations.totalCount).toBe(1);
  expect(await statusesOf(as.providerAdmin, second)).toEqual(promisedTo("providerAdmin"));
});

test.each(["workspaces", "environments"])(
  "orgId=all lists the %s of every organization to a Provider Admin",
  async (kind) => {
    for (const all of ["all", "11111111-1111-1111-1111-111111111111"]) {
      const { body } = await as.providerAdmin.get("/" + kind + "?pageSize=1&orgId=" + all);
      const counts = [first, second].map(async ({ organizationId }) => {
        const one = await as.providerAdmin.get("/" + kind + "?pageSize=1&orgId=" + organizationId);
        expect(one.body.totalCount).toBeGreaterThan(0);
        return one.body.totalCount as number;
      });
      expect(body.totalCount).toBe((await Promise.all(counts)).reduce((sum, count) => sum + count, 0));
    }
  },
);

test("the next request after a role is removed lacks its keys, in every service", async () => {
  const { organizationId } = first;
  const { id, rest } = await newMember("demoted", { [organizationId]: ["Org Admin"] });
  const attempts = async () => {
    const paths = ["/workspaces", "/environments", "/identity/teams"];
    return (await Promise.all(paths.map((path) => rest.post(path, { organizationId })))).map(({ status }) => status);
  };
  expect(await attempts()).toEqual([201, 201, 201]);
  await setRoles(organizationId, id, ["User"]);
  expect(await attempts()).toEqual([403, 403, 403]);
  await setRoles(organizationId, id, ["Org Admin"]);
  expect(await attempts()).toEqual([201, 201, 201]);
});

test("a user who leaves an organization is an outsider from the next request on", async () => {
  const { id, rest } = await newMember("left", { [first.organizationId]: ["Org Admin"] });
  const { body: workspace } = await rest.post("/workspaces", { organizationId: first.organizationId });
  expect((await as.orgAdmin.delete(memberPath(first.organizationId, id))).status).toBe(204);
  expect(refused(await rest.get("/workspaces/" + workspace.id))).toBe("404 workspace not found");
  expect(refused(await rest.get("/environments/" + first.environmentId))).toBe("404 environment not found");
});

test("the operator may call every operation that needs no user", async () => {
  const {
    "GET /identity/users/profile": profile,
    "PUT /identity/users/preferences": preferences,
    ...rest
  } = await statusesOf(system, second);
  expect([profile, preferences]).toEqual([404, 404]);
  const promised = OPERATIONS.filter(({ name }) => name in rest).map(({ name, success }) => [name, success]);
  expect(rest).toEqual(Object.fromEntries(promised));
});

test("the gateway accepts a service credential for no operation", async () => {
  for (const credential of Object.values(stack.credentials)) {
    const statuses = await statusesOf(restFor(stack.demo, credential), second);
    expect(new Set(Object.values(statuses))).toEqual(new Set([401]));
  }
});
