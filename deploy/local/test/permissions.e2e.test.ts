import { readFileSync, writeFileSync } from "node:fs";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { createServiceTransport } from "@cloud/rpc";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startTestStack, type TestStack } from "../src/test-stack.ts";
import { type Place, preparePlace, tryOperation } from "./permission-targets.ts";
import {
  ALL_ORGANIZATIONS,
  CALLERS,
  HOLDERS,
  type MatrixCaller,
  OPERATIONS,
  type Operation,
  OWN_HOLDERS,
  promisedStatus,
  ROLES,
  type Role,
} from "./promised-permissions.ts";
import { renderPermissions } from "./render-permissions.ts";
import { type Everybody, everybody, type Rest, refused, restFor } from "./rest.ts";

const PAGE = new URL("../../../docs/permissions.md", import.meta.url);
const ROWS: readonly Operation[] = [...OPERATIONS, ...ALL_ORGANIZATIONS];

let stack: TestStack;
let as: Everybody;
let system: Rest;
let first: Place;
let second: Place;
let revoked: Rest;
beforeAll(async () => {
  stack = await startTestStack();
  const { demo } = stack;
  as = everybody(demo);
  system = restFor(demo, stack.serviceToken);
  first = await preparePlace(system, demo.organizations[0]?.id ?? "", demo.users.orgAdmin.id);
  second = await preparePlace(system, demo.organizations[1]?.id ?? "", demo.users.outsider.id);
  // Of an Org Admin, who would be let in everywhere.
  const { body } = await as.orgAdmin.post("/identity/tokens", { name: "to be revoked" });
  await as.orgAdmin.delete("/identity/tokens/" + body.token.id);
  revoked = restFor(demo, body.secret);
});
afterAll(() => stack.stop());

describe("the matrix", () => {
  const matrix = new Map<string, Record<MatrixCaller, number>>();
  let held: Record<Role, string[]>;

  beforeAll(async () => {
    const clients = { ...as, anonymous: as.nobody, revoked };
    const rowOf = async (operation: Operation) => {
      const cells = CALLERS.map(async (caller) => {
        const { status } = await tryOperation(system, clients[caller], operation, first);
        return [caller, status] as const;
      });
      return Object.fromEntries(await Promise.all(cells)) as Record<MatrixCaller, number>;
    };
    for (const operation of ROWS) matrix.set(operation.name, await rowOf(operation));
    held = await readHeldKeys();
  });

  test.each(ROWS.map((operation) => [operation.name, operation] as const))("%s", (name, operation) => {
    const promised = CALLERS.map((caller) => [caller, promisedStatus(operation, caller)]);
    expect(matrix.get(name)).toEqual(Object.fromEntries(promised));
  });

  test.each(ROLES)("the keys of %s", (role) => {
    const promised = Object.entries({ ...HOLDERS, ...OWN_HOLDERS }).filter(([, roles]) => roles.includes(role));
    expect(held[role].toSorted()).toEqual(promised.map(([key]) => key).sort());
  });

  test("docs/permissions.md is what was seen", () => {
    const rendered = renderPermissions(ROWS, matrix, held, Object.keys({ ...HOLDERS, ...OWN_HOLDERS }));
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(PAGE, rendered);
    expect(readFileSync(PAGE, "utf8")).toBe(rendered);
  });

  test("has a row for each operation of the specification", () => {
    expect(new Set(OPERATIONS.map(({ name }) => name)).size).toBe(29);
  });
});

async function readHeldKeys(): Promise<Record<Role, string[]>> {
  const transport = createServiceTransport({ url: stack.services.identity, serviceToken: stack.serviceToken });
  const client = createClient(AuthService, transport);
  const keysOf = async (role: Role) => {
    const { memberships } = await client.authenticate({ token: stack.demo.users[role].token });
    const place = memberships.find(({ organizationId }) => organizationId === first.organizationId);
    return [role, place?.permissions ?? []] as const;
  };
  return Object.fromEntries(await Promise.all(ROLES.map(keysOf))) as Record<Role, string[]>;
}

/** A user of their own for a test, with the roles given in each organization. */
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

/** The status of every operation of the specification, by its name. */
async function statusesOf(caller: Rest, place: Place): Promise<Record<string, number>> {
  const tried = OPERATIONS.map(async (operation) => {
    const { status } = await tryOperation(system, caller, operation, place);
    return [operation.name, status] as const;
  });
  return Object.fromEntries(await Promise.all(tried));
}

const promisedTo = (caller: MatrixCaller) =>
  Object.fromEntries(OPERATIONS.map((operation) => [operation.name, promisedStatus(operation, caller)]));

test("who has different roles in two organizations has in each what the role there holds", async () => {
  const { rest } = await newMember("two-roles", {
    [first.organizationId]: ["Workspace Admin"],
    [second.organizationId]: ["User"],
  });
  expect(await statusesOf(rest, first)).toEqual(promisedTo("workspaceAdmin"));
  expect(await statusesOf(rest, second)).toEqual(promisedTo("user"));
});

test("who has two roles in one organization has what either holds", async () => {
  const { rest } = await newMember("both-roles", { [first.organizationId]: ["User", "Workspace Admin"] });
  expect(await statusesOf(rest, first)).toEqual(promisedTo("workspaceAdmin"));
});

test("a Provider Admin is a member of every organization", async () => {
  const { body: profile } = await as.providerAdmin.get("/identity/users/profile");
  expect(profile.organizations.totalCount).toBe(1);
  expect(await statusesOf(as.providerAdmin, second)).toEqual(promisedTo("providerAdmin"));
});

test.each(["workspaces", "environments"])("orgId=all lists the %s of every organization to them", async (kind) => {
  for (const all of ["all", "11111111-1111-1111-1111-111111111111"]) {
    const { body } = await as.providerAdmin.get("/" + kind + "?pageSize=1&orgId=" + all);
    const counts = [first, second].map(async ({ organizationId }) => {
      const one = await as.providerAdmin.get("/" + kind + "?pageSize=1&orgId=" + organizationId);
      expect(one.body.totalCount).toBeGreaterThan(0);
      return one.body.totalCount as number;
    });
    expect(body.totalCount).toBe((await Promise.all(counts)).reduce((sum, count) => sum + count, 0));
  }
});

test("a role that is taken away is missed by the next request, in every service", async () => {
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

test("who leaves an organization is a stranger to it at the next request", async () => {
  const { id, rest } = await newMember("left", { [first.organizationId]: ["Org Admin"] });
  const { body: workspace } = await rest.post("/workspaces", { organizationId: first.organizationId });
  expect((await as.orgAdmin.delete(memberPath(first.organizationId, id))).status).toBe(204);
  expect(refused(await rest.get("/workspaces/" + workspace.id))).toBe("404 workspace not found");
  expect(refused(await rest.get("/environments/" + first.environmentId))).toBe("404 environment not found");
});

test("a service credential may do by REST whatever needs no user", async () => {
  const {
    "GET /identity/users/profile": profile,
    "PUT /identity/users/preferences": preferences,
    ...rest
  } = await statusesOf(system, second);
  expect([profile, preferences]).toEqual([404, 404]);
  const promised = OPERATIONS.filter(({ name }) => name in rest).map(({ name, success }) => [name, success]);
  expect(rest).toEqual(Object.fromEntries(promised));
});
