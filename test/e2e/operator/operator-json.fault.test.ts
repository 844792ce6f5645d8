import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { seedLinkedRecords } from "../../chaos/linked-records/linked-records.ts";
import { type System, startSystem } from "../../chaos/system/start-system.ts";
import { openDatabases, type SystemDatabases } from "../../chaos/system/system-databases.ts";
import { restClients } from "../rest.ts";
import { followOperator, runOperator } from "./run-operator.ts";

// The results of the operator's commands as JSON, where there is something for each of them to do.

const resources = new AsyncDisposableStack();
let system: System;
let databases: SystemDatabases;
let deleted: string;
let unknown: string;
let parked: string;

beforeAll(async () => {
  system = await startSystem({ env: { RECONCILER_INTERVAL_MS: "86400000" } });
  resources.defer(() => system.stop());
  databases = openDatabases(system);
  resources.defer(() => databases.close());
  const records = await seedLinkedRecords(system, databases, { environments: 1, teams: 0 });
  deleted = records.environments[0] ?? "";
  await restClients(system.demo).providerAdmin.delete(`/environments/${deleted}`);
  await databases.drained(30_000);
  for (const peer of ["environment", "identity"])
    await runOperator(system, "workspace", "accept-installation", "--peer", peer); // as the reconciler's first pass does
  // A link to the deleted environment, one to an environment that never was, a wrong count, and old rows.
  [unknown = ""] = await idsOf("select gen_random_uuid() as id");
  await databases.query(
    "insert into workspace.assignments (id, workspace_id, kind, resource_id) select gen_random_uuid(), $1, 'environment', unnest($2::uuid[])",
    [records.workspaceId, [deleted, unknown]],
  );
  await databases.query("insert into workspace.live_counts (list, scope, slot, count) values ('views', $1, 0, 5)", [
    unknown,
  ]);
  [parked = ""] = await idsOf(parkLastEvent);
  await databases.query(oldRows);
}, 90_000);
afterAll(() => resources.disposeAsync(), 60_000);

const idsOf = async (query: string) => (await databases.query<{ id: string }>(query)).map(({ id }) => id);

const parkLastEvent = `
  insert into workspace.parked_messages (consumer, subject, event_id, headers, payload, reason, error, tries)
  select 'workspace', subject, id, jsonb_build_object('ce-type', type), payload, 'unknown', 'it was tried', 5
  from environment.outbox
  order by created_at desc
  limit 1
  returning id`;

const oldRows = `
  insert into workspace.inbox (consumer, event_id, received_at)
  select 'workspace', gen_random_uuid(), now() - interval '15 days'
  from generate_series(1, 1200)`;

const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await runOperator(system, "workspace", ...args, "--json");
  return { code, stderr, result: JSON.parse(stdout) as unknown };
};

/** Returns a digest of the rows of each table of the schema that a command may change. */
async function digests(): Promise<unknown> {
  const tables = "select tablename as id from pg_tables where schemaname = 'workspace' order by 1";
  const digest = (table: string) =>
    `select '${table} ' || count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as id from workspace.${table} t`;
  return await idsOf((await idsOf(tables)).map(digest).join(" union all "));
}

describe("--dry-run changes nothing, and reports what there is to do", () => {
  const kind = "workspace-environment";
  const installation = expect.stringMatching(/^[\w-]{36}$/);
  const wrong = () => [{ list: "views", scope: unknown, counted: 5, rows: 0 }];
  test.each<[string[], () => unknown, number]>([
    [["migrate"], () => ({ migrations: [] }), 0],
    [["bootstrap"], () => ({ created: [] }), 0],
    [["replay"], () => ({ messages: [expect.objectContaining({ id: parked, tries: 5 })], replayed: 0 }), 0],
    [["rewind"], () => ({ durables: expect.arrayContaining([]), events: expect.any(Number) }), 0],
    [
      ["reconcile"],
      () => ({
        differences: [
          { kind, id: deleted, difference: "deleted" },
          { kind, id: unknown, difference: "unknown" },
        ],
      }),
      0,
    ],
    [["end-unknown"], () => ({ unknown: [{ kind, id: unknown }], ended: 0 }), 0],
    [
      ["accept-installation", "--peer", "environment"],
      () => ({ peer: "environment", installation, acceptedBefore: installation }),
      0,
    ],
    [["purge"], () => ({ tables: expect.arrayContaining([{ table: "inbox", days: 14, rows: 1200 }]) }), 0],
    [["check-counts"], () => ({ wrong: wrong(), corrected: 0 }), 3],
    [["check-counts", "--repair"], () => ({ wrong: wrong(), corrected: 0 }), 3],
  ])("%j", async (args, report, code) => {
    const before = await digests();
    const result = { service: "workspace", dryRun: true, ...(report() as object) };
    expect(await json(...args, "--dry-run")).toEqual({ code, stderr: "", result });
    expect(await digests()).toEqual(before);
  });
});

describe("without it, what was done is reported", () => {
  test.each<[string, () => string[], () => object]>([
    ["purge", () => [], () => ({ tables: expect.arrayContaining([{ table: "inbox", days: 14, rows: 1200 }]) })],
    [
      "reconcile",
      () => [],
      () => ({ references: expect.arrayContaining([expect.objectContaining({ ended: 1, cleared: 0, unknown: 1 })]) }),
    ],
    ["end-unknown", () => ["--count", "1"], () => ({ unknown: [expect.objectContaining({ id: unknown })], ended: 1 })],
    ["replay", () => ["--id", parked], () => ({ messages: [expect.objectContaining({ id: parked })], replayed: 1 })],
  ])("%s", async (command, options, report) => {
    const result = { service: "workspace", dryRun: false, ...report() };
    expect(await json(command, ...options())).toEqual({ code: 0, stderr: "", result });
  });
});

test("a command that fails leaves standard output empty, and gives the reason on the other", async () => {
  const wrong = await runOperator(system, "workspace", "end-unknown", "--json");
  expect(wrong).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("--dry-run or --count") });
});

test("a command that takes long reports how far it is, apart from its result", async () => {
  const client = new pg.Client({ connectionString: system.superuserUrls.workspace });
  await client.connect();
  await client.query("select pg_advisory_lock('workspace.live_counts'::regclass::oid::integer, 0)");
  let progress = "";
  const { code, stdout } = await followOperator(system, "workspace", ["check-counts", "--repair", "--json"], (text) => {
    if (progress === "") void client.end(); // releases the lock
    progress += text;
  });
  expect(progress).toMatch(/^5 s: counting all rows, about a second for each million$/m);
  expect({ code, result: JSON.parse(stdout) }).toMatchObject({ code: 0, result: { corrected: 1 } });
}, 60_000);
