import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { accessRuleOf } from "@cloud/access";
import { permissionName } from "@cloud/access/principal";
import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import type { Database } from "@cloud/postgres";
import { Scope } from "@cloud/proto/cloud/api/v1/options_pb";
import { openTestDatabase } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type RestCalls, refused, restFor } from "../rest.ts";
import { systemRest } from "../system-rest.ts";
import { type CallMethod, callByRest, callByRpc, type Reply } from "./call-method.ts";
import { openTransports, type Transports } from "./open-transports.ts";
import { createPeople, type Person } from "./people.ts";
import type { MethodRequest, Seen } from "./promised-methods.ts";
import {
  CALLERS,
  type Caller,
  callersByKeys,
  keysOf,
  promisedOutcome,
  ROLES,
  ROWS,
  type Role,
  type Row,
  type Surface,
  statusOf,
} from "./promised-outcomes.ts";
import { createRequestFiller, type FillRequest } from "./record-makers.ts";
import { renderPermissions } from "./render-permissions.ts";
import { setRoleKeys } from "./role-keys.ts";
import { findServedMethods, type ServedMethod } from "./served-methods.ts";

// Plays each row of the promised matrix as each caller, by REST and by RPC. Roles change, so the stack is not shared.

const PAGE = new URL("../../../docs/permissions.md", import.meta.url);
const SERVICES = new URL("../../../services/", import.meta.url);

const methods = new Map((await findServedMethods()).map((method) => [method.name, method]));

let stack: OwnTestStack;
let identity: Database;
let transports: Transports;
let calls: Readonly<Record<Surface, CallMethod>>;
let people: Readonly<Record<Caller, Person>>;
let system: RestCalls;
let fill: FillRequest;
beforeAll(async () => {
  stack = await startTestStack();
  const { demo, superuserUrl: url, gateway } = stack;
  system = systemRest(stack);
  identity = openTestDatabase({ url, schema: "identity" });
  transports = openTransports(stack);
  calls = { rest: callByRest(gateway), rpc: callByRpc(transports) };
  people = await createPeople(stack, system);
  fill = createRequestFiller(system, demo);
});
afterAll(async () => {
  transports.close();
  await identity.close();
  await stack.stop();
});

type Outcomes = Record<string, string>;

test("each RPC has a row in promised-methods.ts, and each row an RPC", () => {
  expect([...new Set(ROWS.map(({ rpc }) => rpc))].toSorted()).toEqual([...methods.keys()].toSorted());
});

const held = new Map<Role, readonly string[]>();
test.each(ROLES)("the keys of %s", async (role) => {
  const { demo } = stack;
  const path = "/identity/organizations/" + demo.organizations[0]?.id + "/permissions";
  const { body } = await restFor(demo, demo.users[role].token).get(path);
  const names: string[] = body.keys.map(({ name }: { name: string }) => name);
  held.set(role, names);
  expect(names.toSorted()).toEqual(keysOf(role).toSorted());
});

const observed = new Map<Row, Outcomes>();
test.each(ROWS.map((row) => [row.rpc + row.variant, row] as const))("%s", async (_name, row) => {
  const method = methods.get(row.rpc) as ServedMethod;
  const requestFor = createRequests(row);
  const promised: Outcomes = {};
  const outcomes: Outcomes = {};
  const play = async (caller: Caller, surface: Surface) => {
    const outcome = promisedOutcome(row, caller, surface);
    if (outcome === undefined) return;
    const cell = caller + " by " + surface;
    promised[cell] = outcome;
    const request = await requestFor(caller, outcome.startsWith("2"));
    outcomes[cell] = outcomeOf(row, await calls[surface](method, request, people[caller].tokens[surface]));
  };
  for (const [keys, callers] of callersByKeys(row)) {
    await setRoleKeys(identity, "User", keys);
    await Promise.all(callers.flatMap((caller) => surfacesOf(method, row, caller).map((on) => play(caller, on))));
  }
  observed.set(row, outcomes);
  expect({ ...optionsOf(method), ...outcomes }).toEqual({ ...promisedOptions(row), ...promised });
});

test("docs/permissions.md is up to date", () => {
  const rendered = renderPermissions({ outcomes: observed, held, methods });
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(PAGE, rendered);
  expect(readFileSync(PAGE, "utf8")).toBe(rendered);
});

test("a role counts in its own organization, of a Provider Admin in every one", async () => {
  const { demo } = stack;
  const [first, second] = demo.organizations.map(({ id }) => id);
  const statuses = async (caller: Caller) => {
    const rest = restFor(demo, people[caller].tokens.rest ?? "");
    const create = (organizationId?: string) => rest.post("/workspaces", { organizationId });
    const replies = await Promise.all([create(first), create(second)]);
    return replies.map(({ status }) => status);
  };
  await setRoleKeys(identity, "User", keysOf("user"));
  expect(await statuses("user")).toEqual([403, 201]); // Workspace Admin in the second
  expect(await statuses("workspaceAdmin")).toEqual([201, 403]); // User in the second
  expect(await statuses("providerAdmin")).toEqual([201, 201]); // a member of the second
});

test("the next request after a change of roles has those roles, in every service", async () => {
  const { id, token } = stack.demo.users.teamAdmin;
  const organizationId = stack.demo.organizations[0]?.id;
  const membership = "/identity/organizations/" + organizationId + "/members/" + id;
  const rest = restFor(stack.demo, token);
  const attempts = async (role: string) => {
    await system.put(membership, { roleNames: [role] });
    const paths = ["/workspaces", "/environments", "/identity/teams"];
    return await Promise.all(paths.map((path) => rest.post(path, { organizationId })));
  };
  const statuses = async (role: string) => (await attempts(role)).map(({ status }) => status);
  expect(await statuses("Org Admin")).toEqual([201, 201, 201]);
  expect(await statuses("User")).toEqual([403, 403, 403]);
  const again = await attempts("Org Admin");
  expect(again.map(({ status }) => status)).toEqual([201, 201, 201]);
  const [workspace, environment] = again;
  await system.delete(membership);
  expect(refused(await rest.get("/workspaces/" + workspace?.body.id))).toBe("404 workspace not found");
  expect(refused(await rest.get("/environments/" + environment?.body.id))).toBe("404 environment not found");
});

test("no service names a permission key: only the options in proto/ do", () => {
  const files = readdirSync(SERVICES, { recursive: true, encoding: "utf8" });
  const sources = files.filter((file) => /\/src\/.*\.ts$/.test(file));
  expect(sources.length).toBeGreaterThan(100);
  const names = (file: string) => /permission_pb|permissionName/.test(readFileSync(new URL(file, SERVICES), "utf8"));
  expect(sources.filter(names)).toEqual([]);
});

/** Streams have no end by REST: test/e2e/watches has them. No path names all organizations in which audits are. */
function surfacesOf({ desc, rule }: ServedMethod, { variant }: Row, caller: Caller): readonly Surface[] {
  const isStream = (desc.methodKind as string) !== "unary";
  return rule === undefined || isStream || variant === " of all" ? ["rpc"] : CALLERS[caller];
}

/** Returns the request of a cell, with records of its own if the call deletes them or if they belong to the caller. */
function createRequests({ rpc, request, owned = {} }: Row) {
  const usesUp = /\/(Delete|Remove|Revoke|Accept|Decline|AddMember|CreateInvitation|CreateUser)/.test(rpc);
  const isOwn = /\$(own|fresh)/.test(JSON.stringify(request));
  const link = methods.get(rpc.replace("/RemoveTeamM", "/AddTeamM").replace("/Remove", "/Assign"));
  const shared = new Map<string | undefined, Promise<MethodRequest>>();
  return async (caller: Caller, isSuccess: boolean): Promise<MethodRequest> => {
    const person = people[caller];
    if (caller === "owner") return await fill(owned, person);
    const key = isOwn ? person.userId : "all";
    const filled = (usesUp && isSuccess ? undefined : shared.get(key)) ?? fill(request, person);
    if (!usesUp || !isSuccess) shared.set(key, filled);
    else if (link !== undefined && link.name !== rpc) await calls.rpc(link, await filled, stack.serviceToken);
    return await filled;
  };
}

function outcomeOf({ rpc, sees }: Row, { status = statusOf(rpc), error, body }: Reply): string {
  if (error !== undefined) return status + " " + error;
  return sees === undefined ? String(status) : status + ", " + seenIn(JSON.stringify(body));
}

function seenIn(reply: string): Seen {
  if (!reply.includes('"email"')) return "nothing";
  return reply.includes('"email":""') ? "name" : "name and email";
}

function promisedOptions({ promised: { decidedBy, callers = [], permission } }: Row) {
  const name = decidedBy === "service" ? "unspecified" : decidedBy.replace(/[A-Z]/g, "_$&");
  const scope = Scope[name.toUpperCase() as keyof typeof Scope];
  return { forServicesOnly: decidedBy === "service", callers, scope, permission };
}

function optionsOf({ desc }: ServedMethod) {
  const { forServicesOnly, callers: all, scope, permission: key } = accessRuleOf(desc);
  const callers = all.filter((name) => name !== "operator"); // who may call every RPC
  return { forServicesOnly, callers, scope, permission: key ? permissionName(key) : undefined };
}
