import { waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type LinkedRecords, seedLinkedRecords } from "../../chaos/linked-records/linked-records.ts";
import { SERVICES, type System, startSystem } from "../../chaos/system/start-system.ts";
import { openDatabases, type SystemDatabases } from "../../chaos/system/system-databases.ts";
import { restClients } from "../rest.ts";
import { runOperator } from "./run-operator.ts";

/** The reconciler itself never runs: what is repaired here, a command repairs. */
const env = { RECONCILER_INTERVAL_MS: "86400000" };

const resources = new AsyncDisposableStack();
let system: System;
let databases: SystemDatabases;
beforeAll(async () => {
  system = await startSystem({ env });
  resources.defer(() => system.stop());
  databases = openDatabases(system);
  resources.defer(() => databases.close());
}, 90_000);
afterAll(() => resources.disposeAsync(), 60_000);

const operator = (...args: string[]) => runOperator(system, "workspace", ...args);

describe.each(SERVICES)("of %s", (service) => {
  test("--help describes each command", async () => {
    const { code, stdout } = await runOperator(system, service, "--help");
    expect(code).toBe(0);
    for (const command of ["replay", "rewind", "reconcile", "migrate", "purge", "end-unknown"])
      expect(stdout).toContain(`  ${command} --dry-run`);
    for (const line of ["bootstrap --help", "check-counts [--dry-run]", "accept-installation --peer <p> --dry-run"])
      expect(stdout).toContain(`  ${line}`);
    for (const part of ["--json", "0 done", "1 not done", "2 wrong usage", "3 check-counts"])
      expect(stdout).toContain(part);
  });

  test("the schema lacks no migration", async () => {
    expect(await runOperator(system, service, "migrate", "--dry-run")).toMatchObject({
      code: 0,
      stdout: "the schema is up to date\n",
    });
  });
});

describe("bootstrap", () => {
  const petra = ["--organization", "Acme", "--email", "petra@demo.example"];

  test.each(["environment", "workspace"] as const)("of %s changes nothing, and names identity", async (service) => {
    for (const args of [["--help"], [...petra, "--dry-run"], petra]) {
      const { code, stdout } = await runOperator(system, service, "bootstrap", ...args);
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout:
          "nothing to do: the identity service creates the first organization, its Provider Admin and their token\n",
      });
    }
  });

  test("of identity is its command bootstrap, with the same arguments", async () => {
    const bootstrap = (...args: string[]) => runOperator(system, "identity", "bootstrap", ...args);
    expect(await bootstrap("--help")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("operator.ts bootstrap"),
    });
    const done = {
      code: 0,
      stdout: 'nothing to do: petra@demo.example is a Provider Admin of the organization "Acme"\n',
    };
    expect(await bootstrap(...petra, "--dry-run")).toMatchObject(done);
    expect(await bootstrap(...petra)).toMatchObject(done);
    expect(await bootstrap("--email", "petra@demo.example")).toMatchObject({
      code: 2,
      stderr: "--organization is required; --help describes the arguments\n",
    });
    const stranger = await bootstrap("--organization", "Corp", "--email", "ada@example.test");
    expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing was changed") });
  });
});

test.each([
  [["replay", "rewind"], "one command is run at a time, not rewind, too"],
  [["replay", "--id", "7"], "--id takes the id that --dry-run has shown"],
  [["reconcil"], "there is no command reconcil"],
  [["rewind", "--since", "7"], "Unknown option '--since'"],
])("%j is wrong usage", async (args, message) => {
  const { code, stderr } = await operator(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

describe("of a workspace that is still linked to a deleted environment, as after a restore of its schema", () => {
  let records: LinkedRecords;
  let environment: string;
  let event: { id: string; subject: string; type: string; payload: Buffer; created_at: Date };

  beforeEach(async () => {
    records = await seedLinkedRecords(system, databases, { environments: 1, teams: 0 });
    environment = records.environments[0] ?? "";
    await restClients(system.demo).providerAdmin.delete(`/environments/${environment}`);
    await databases.drained(30_000);
    expect(await isLinked()).toBe(false);
    const [row] = await databases.query<typeof event>(
      "select id, subject, type, payload, created_at from environment.outbox order by created_at desc, id desc limit 1",
    );
    if (row === undefined) throw new Error("there is no event");
    event = row;
    await databases.query(
      "insert into workspace.assignments (id, workspace_id, kind, resource_id) values (gen_random_uuid(), $1, 'environment', $2)",
      [records.workspaceId, environment],
    );
  });

  const isLinked = async () =>
    (await databases.query("select from workspace.assignments where resource_id = $1", [environment])).length > 0;
  const forget = () => databases.query("delete from workspace.inbox where event_id = $1", [event.id]);
  const isUnlinked = () => waitFor(async () => !(await isLinked()) || undefined, { deadlineMs: 30_000 });

  test("replay publishes a parked message again", async () => {
    await forget();
    const headers = {
      "ce-specversion": "1.0",
      "ce-id": event.id,
      "ce-source": "environment",
      "ce-type": event.type,
      "ce-time": event.created_at.toISOString(),
    };
    const [parked] = await databases.query<{ id: string }>(
      `insert into workspace.parked_messages (consumer, subject, event_id, headers, payload, reason, error, tries)
       values ('workspace', $1, $2, $3, $4, 'failed', 'it was tried', 5) returning id`,
      [event.subject, event.id, headers, event.payload],
    );
    const listed = await operator("replay", "--dry-run");
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain(`"id":"${parked?.id}"`);
    expect(listed.stdout).toContain("1 would be published again: replay without --dry-run");
    expect(await isLinked()).toBe(true);

    const replayed = await operator("replay", "--id", parked?.id ?? "");
    expect(replayed.stdout).toContain("1 are published again");
    await isUnlinked();
    expect(await operator("replay")).toMatchObject({ code: 0, stdout: "no message is parked\n" });
    expect(await operator("replay", "--id", environment)).toMatchObject({ code: 1 });
  });

  test("rewind lets the service receive all events again; it skips the events that it has applied", async () => {
    await forget();
    const counted = await operator("rewind", "--dry-run");
    expect(counted.code).toBe(0);
    expect(counted.stdout).toMatch(/^workspace-cloud_v1_environment_environment_deleted: [1-9]\d* events$/m);
    expect(await isLinked()).toBe(true);

    const [lines] = await databases.query<{ count: string }>("select count(*) from workspace.activity_events");
    expect(await operator("rewind")).toMatchObject({ code: 0 });
    await isUnlinked();
    await databases.drained(30_000);
    const [after] = await databases.query<{ count: string }>("select count(*) from workspace.activity_events");
    expect(Number(after?.count)).toBe(Number(lines?.count) + 1);
  });

  test("reconcile ends the link once its owner has reported twice that the environment is deleted", async () => {
    const shown = await operator("reconcile", "--dry-run");
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.stdout).toContain(`${environment}: is deleted, and in use here`);
    expect(shown.stdout).toContain("1 would be repaired if they stay: reconcile without --dry-run");
    expect(await isLinked()).toBe(true);

    const { code, stdout } = await operator("reconcile");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /: 1 references to deleted records ended, 0 tombstones of live records cleared, 0 unknown$/m,
    );
    expect(await isLinked()).toBe(false);
    expect((await operator("reconcile", "--dry-run")).stdout).toBe("nothing would be repaired\n");
  });
});
