import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import { installPackages } from "@cloud/testkit/packages";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { restClients } from "../rest.ts";

const run = promisify(execFile);
const DRIVE = join(import.meta.dirname, "drive-process.ts");

let stack: OwnTestStack;
let installed: string;
beforeAll(async () => {
  installed = await installPackages(new URL("packages/", import.meta.url));
  stack = await startTestStack();
}, 120_000);
afterAll(() => stack?.stop());

interface Line {
  readonly operation: string;
  readonly status?: number;
  readonly request?: string;
  readonly reason?: string;
}

/** Drives a generation as an Org Admin, and returns what became of each operation. */
async function drive(client: string): Promise<Line[]> {
  const { demo } = stack;
  const orgId = demo.organizations[0]?.id ?? "";
  const as = restClients(demo);
  const system = { authorization: `Bearer ${stack.serviceToken}`, "content-type": "application/json" };
  const call = async (method: string, rpc: string, body: object) => {
    const url = `${stack.services.identity}/identity.v1.${rpc}`;
    const response = await fetch(url, { method, headers: system, body: JSON.stringify(body) });
    return (await response.json()) as { user: { id: string } };
  };
  const createUser = async () =>
    (await call("POST", "UserService/CreateUser", { email: `${crypto.randomUUID()}@example.test` })).user.id;
  const [userId, invitee] = [await createUser(), await createUser()];
  await call("POST", "OrganizationService/SetMemberRoles", { id: orgId, userId, roleNames: ["User"] });
  // The first generation cannot create a view.
  const { body: view } = await as.orgAdmin.post("/views", { organizationId: orgId, name: "View" });
  const env = {
    ...process.env,
    GATEWAY: demo.gateway,
    TOKEN: demo.users.orgAdmin.token,
    IDS: JSON.stringify({ orgId, userId, invitee, viewId: view.id, email: `${crypto.randomUUID()}@example.test` }),
  };
  const { stdout } = await run(process.execPath, [DRIVE, client, installed], { env });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

const isDone = ({ status = 0 }: Line) => status >= 200 && status < 300;
const shown = ({ operation, status, request, reason }: Line) => `${operation}: ${reason ?? `${status} ${request}`}`;

test.each([
  ["published-client", "1.3.7", [] as readonly string[]],
  // This client has no way to name the organization, which the specification requires of this list.
  ["published-client-1.0", "1.0.1", ["getWorkspaces"]],
])(
  "%s, %s, runs unchanged",
  async (client, version, refused) => {
    const lines = await drive(client);
    process.stdout.write(`${version}\n${lines.map((line) => `  ${shown(line)}\n`).join("")}`);
    const driven = lines.filter(({ status }) => status !== undefined);
    expect(driven.length).toBeGreaterThan(60);
    expect(driven.filter((line) => !isDone(line)).map(shown)).toEqual(
      refused.map((operation) => expect.stringMatching(`^${operation}: 400 `)),
    );
    expect(lines.filter(({ reason }) => reason === "unexplained").map(shown)).toEqual([]);
  },
  60_000,
);

test("only the published paths take the organization from the header, and only where the request names none", async () => {
  const { demo } = stack;
  const as = restClients(demo);
  const [first = { id: "" }, second = { id: "" }] = demo.organizations;
  const statuses = async (path: string, current: string, init: RequestInit = {}) =>
    (await as.orgAdmin.send(path, { ...init, headers: { "service-current-orgid": current } })).status;
  expect(await statuses("/integrations/connections", first.id)).toBe(200);
  expect(await statuses("/connections", first.id)).toBe(400);
  expect(await statuses(`/integrations/connections?orgId=${first.id}`, second.id)).toBe(200);
  expect(await statuses(`/integrations/connections?orgId=${second.id}`, first.id)).toBe(403);
  expect(await statuses("/integrations/connections", second.id)).toBe(403);
  expect(await statuses("/integrations/connections", "x")).toBe(403);
  expect((await as.orgAdmin.get("/integrations/connections")).status).toBe(400);
  expect(await statuses("/content/views", first.id, { method: "POST" })).toBe(201);
  expect(await statuses("/views", first.id, { method: "POST" })).toBe(400);
});

test("a team is found only in its own organization, and an alias stands in for an absent id only", async () => {
  const { demo } = stack;
  const as = restClients(demo);
  const [first = { id: "" }, second = { id: "" }] = demo.organizations;
  const team = demo.teams.first[0] ?? "";
  const statusOf = async (organization: string) =>
    (await as.orgAdmin.get(`/identity/orgs/${organization}/teams/${team}`)).status;
  expect([await statusOf(first.id), await statusOf(second.id), await statusOf("x")]).toEqual([200, 404, 404]);
  const { body } = await as.orgAdmin.post("/identity/tokens?name=ignored", { name: "Own" });
  expect(body.token.name).toBe("Own");
  const { body: other } = await as.orgAdmin.send("/identity/tokens?name=Laptop", { method: "POST" });
  expect(other.token.name).toBe("Laptop");
  const path = `/identity/tokens/${body.token.id}`;
  expect((await as.orgAdmin.delete(`${path}?tokenId=${other.token.id}`)).status).toBe(204);
  expect((await as.orgAdmin.get(path)).body.revokedAt).not.toBeNull();
  expect((await as.orgAdmin.get(`/identity/tokens/${other.token.id}`)).body.revokedAt).toBeNull();
});
