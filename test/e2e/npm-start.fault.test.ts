import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { takeStablePort } from "@cloud/local-servers";
import type { Demo } from "@cloud/local-stack";
import { processesOf, trackStarts } from "@cloud/local-stack/npm-start";
import { testFolder, waitFor } from "@cloud/testkit";
import { describe, expect, test } from "@jest/globals";
import { connect } from "nats";

const start = trackStarts();

/**
 * Returns what other users can read, list or change in the folder. Root's Postgres needs a passage, which is neither.
 */
function openToOthers(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return [folder, ...paths].filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o066) !== 0);
}

const readDemo = (folder: string) => JSON.parse(readFileSync(join(folder, "demo.json"), "utf8")) as Demo;

async function profileOf({ gateway, users }: Demo, user: keyof Demo["users"]) {
  const headers = { authorization: `Bearer ${users[user].token}` };
  const response = await fetch(`${gateway}/api/identity/users/profile`, { headers });
  expect(response.status).toBe(200);
  return (await response.json()) as { id: string; organizations: { organizationsWithRoles: unknown[] } };
}

describe("npm start", () => {
  test("seeds the demo, serves, ends at Ctrl-C without a trace, and keeps the data", async () => {
    const folder = testFolder();
    const first = start(folder);
    await first.ready();
    const demo = readDemo(folder);
    expect(statSync(join(folder, "demo.json")).mode & 0o777).toBe(0o600);
    expect(first.output()).toContain(demo.users.orgAdmin.token);
    // Postgres, nats-server and their watchdogs; a backend that has just begun looks like another Postgres.
    await waitFor(() => processesOf(folder).length === 4 || undefined, { deadlineMs: 30_000 });
    await expectDemoShape(demo);
    const natsHost = /nats:\/\/([\d.:]+)/.exec(first.output())?.[1] ?? "";
    await expect(connect({ servers: natsHost, reconnect: false })).rejects.toThrow("Authorization Violation");
    expect(statSync(join(folder, "nats", "nats.conf")).mode & 0o777).toBe(0o600);
    for (const [program, url] of Object.entries(demo.operators)) {
      expect(first.output()).toContain(`${program} ${url}`);
      await waitFor(async () => (await fetch(`${url}/readyz`)).ok || undefined, { deadlineMs: 30_000 });
      expect(await (await fetch(`${url}/metrics`)).text()).toContain(`program="${program}"`);
    }

    expect(openToOthers(folder)).toEqual([]);

    first.child.kill("SIGINT");
    expect(await first.ended()).toBe(0);
    expect(first.errors()).toBe("");
    expect(first.output()).not.toContain("ended ("); // its servers were stopped
    expect(processesOf(folder)).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(["demo.json", "logs", "nats", "postgres", "service-token"]);

    const second = start(folder);
    await second.ready();
    const again = readDemo(folder);
    const moved = { gateway: "", services: {}, operators: {} };
    expect({ ...again, ...moved }).toEqual({ ...demo, ...moved });
    expect((await profileOf(again, "user")).id).toBe(demo.users.user.id);
  }, 60_000);

  test("runs without NATS if there is none, and reports so", async () => {
    const folder = testFolder();
    chmodSync(folder, 0o711); // this PATH has no setpriv either, which root needs to run Postgres in a closed folder
    const without = start(folder, { PATH: "/nowhere", CACHE_FOLDER: testFolder() });
    await without.ready();
    expect(without.output()).toContain("nats-server could not be fetched: this system has no apt-get");
    expect(without.output()).toContain("delivered within this process");
    expect((await profileOf(readDemo(folder), "user")).id).toBe(readDemo(folder).users.user.id);
  }, 60_000);
});

describe("npm start reports in one line", () => {
  test("which port is in use", async () => {
    const port = await takeStablePort();
    const other = createServer().listen(port, "127.0.0.1").unref();
    const refused = start(testFolder(), { GATEWAY_PORT: String(port) });
    expect(await refused.ended()).toBe(1);
    expect(refused.errors()).toBe(
      `npm start: The gateway (GATEWAY_PORT) cannot listen on 127.0.0.1:${port}: ` +
        "another program is using it. Stop that program or choose another port.\n",
    );
    other.close();
  });

  test("that an option is unknown", async () => {
    const refused = start(testFolder(), {}, "--fast");
    expect(await refused.ended()).toBe(1);
    expect(refused.errors()).toMatch(/^npm start: Unknown option '--fast'.*\n$/);
  });
});

async function expectDemoShape(demo: Demo): Promise<void> {
  const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);
  const user = { id, token: expect.any(String) };
  expect(demo).toEqual({
    gateway: url,
    services: { workspace: url, environment: url, identity: url },
    operators: { gateway: url, workspace: url, environment: url, identity: url },
    serviceToken: expect.any(String),
    organizations: [
      { id, name: "Acme" },
      { id, name: "Globex" },
    ],
    users: { user, teamAdmin: user, workspaceAdmin: user, orgAdmin: user, providerAdmin: user, outsider: user },
    teams: { first: [id, id], second: [id] },
    designs: Array(6).fill(id),
    views: Array(6).fill(id),
    connections: Array(3).fill(id),
    environments: { ordinary: id, platformProvisioned: id },
  });
  const [first, second] = demo.organizations;
  const roles = { user: "User", teamAdmin: "Team Admin", workspaceAdmin: "Workspace Admin", orgAdmin: "Org Admin" };
  for (const [name, role] of Object.entries({ ...roles, providerAdmin: "Provider Admin" })) {
    const { organizations } = await profileOf(demo, name as keyof Demo["users"]);
    expect(organizations.organizationsWithRoles).toEqual([{ id: first?.id, name: "Acme", roleNames: [role] }]);
  }
  const outsider = await profileOf(demo, "outsider");
  const itsOwn = { id: second?.id, name: "Globex", roleNames: ["Org Admin"] };
  expect(outsider.organizations.organizationsWithRoles).toEqual([itsOwn]);
}
