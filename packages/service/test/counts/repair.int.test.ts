import { randomUUID } from "node:crypto";
import { type Database, type SqlText, statement } from "@cloud/postgres";
import { execute, waitFor, within } from "@cloud/testkit";
import { startLoad } from "@cloud/testkit/figures";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { checkCounts } from "../../src/operator/database-commands.ts";
import { type Opened, openAsBoth, openMigrated, type Service } from "../schemas/service-schemas.ts";
import { selectWrongCounts } from "./wrong-counts.ts";

// The operator's command check-counts.

const resources = new AsyncDisposableStack();
const databases = new Map<Service, Opened>();
beforeAll(async () => {
  for (const service of ["workspace", "environment", "identity"] as const) {
    databases.set(service, await openAsBoth(service, resources));
  }
}, 60_000);
afterAll(() => resources.disposeAsync());

const openBoth = (service: Service) => {
  const opened = databases.get(service);
  if (opened === undefined) throw new Error(`${service} is not open`);
  return opened;
};
const open = (service: Service) => openBoth(service).owner;

async function check(db: Pick<Database, "transaction">, repair = false, dryRun = false) {
  const lines: string[] = [];
  const output = { print: (line: string) => lines.push(line), step: () => undefined };
  const { code } = await checkCounts({ db, ...output }, { repair, dryRun });
  return { code, lines };
}

const insertWorkspaces = statement`
  insert into workspaces (id, organization_id, name, description, owner)
  select gen_random_uuid(), $1, n, '', ''
  from generate_series(1, $2) n`;

/** Inserts workspaces that are not counted into a new organization. */
async function insertUncounted(db: Database, rows: number): Promise<string> {
  const id = randomUUID();
  await execute(db, statement`insert into organizations (id) values ($1)`, [id]);
  await db.transaction(async (tx) => {
    await tx.query(statement`alter table workspaces disable trigger user`);
    await tx.query(insertWorkspaces, [id, rows]);
    await tx.query(statement`alter table workspaces enable trigger user`);
  });
  return id;
}

const areRight = { code: 0, lines: ["all counts are right"] };

test.each(["workspace", "environment", "identity"] as const)("%s: all counts are right at first", async (service) => {
  expect(await check(open(service))).toEqual(areRight);
});

test("a wrong count is reported, and corrected on request", async () => {
  const db = open("workspace");
  const id = await insertUncounted(db, 3);
  const wrong = `workspaces of ${id}: counted 0, there are 3`;
  const reported = { code: 3, lines: [wrong, "1 are wrong: check-counts --repair"] };
  expect(await check(db)).toEqual(reported);
  expect(await check(db, true, true)).toEqual(reported);
  expect(await check(db, true)).toEqual({ code: 0, lines: [wrong, "1 corrected"] });
  expect(await check(db)).toEqual(areRight);
  await execute(db, insertWorkspaces, [id, 2]);
  await execute(db, statement`delete from workspaces where organization_id = $1 and name = '1'`, [id]);
  expect(await check(db)).toEqual(areRight);
});

test("the program's role, which may not write counts, corrects them through the function", async () => {
  const { owner, program } = openBoth("workspace");
  const id = await insertUncounted(owner, 2);
  const write = statement`update live_counts set count = 2 where scope = $1`;
  await expect(execute(program, write, [id])).rejects.toMatchObject({ code: "42501" });
  expect((await check(program, true)).lines).toEqual([`workspaces of ${id}: counted 0, there are 2`, "1 corrected"]);
  expect(await check(program)).toEqual(areRight);
});

test("counts of rows that are not there, and negative ones, are corrected, too", async () => {
  const db = open("environment");
  const [one, other] = [randomUUID(), randomUUID()];
  const insert = statement`insert into live_counts (list, scope, slot, count) values ('environments', $1, 7, 5), ('teams', $2, 0, -1)`;
  await execute(db, insert, [one, other]);
  expect((await check(db, true)).lines).toEqual([
    `environments of ${one}: counted 5, there are 0`,
    `teams of ${other}: counted -1, there are 0`,
    "2 corrected",
  ]);
  expect(await check(db)).toEqual(areRight);
});

test("no change is lost that is made while counts are corrected", async () => {
  const db = open("workspace");
  const id = await insertUncounted(db, 500);
  const load = startLoad(100, () => execute(db, insertWorkspaces, [id, 2]));
  const more = (count: number) => waitFor(() => load.samples().length >= count || undefined, { deadlineMs: 30_000 });
  await more(10);
  for (let turn = 0; turn < 5; turn++) {
    await check(db, true);
    await more(load.samples().length + 5);
  }
  await load.stop();
  expect((await execute(db, selectWrongCounts.workspace)).rows).toEqual([]);
}, 60_000);

describe("two commands at once", () => {
  /** The second begins when the first has corrected and not committed; returns what is wrong in the end. */
  async function correctTwice(db: Database): Promise<unknown[]> {
    await insertUncounted(db, 3);
    let second: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      await check(within(tx), true);
      second = check(db, true);
      await waitFor(async () => (await isWaiting(db)) || undefined, { deadlineMs: 30_000 });
    });
    await second;
    return (await execute(db, selectWrongCounts.workspace)).rows;
  }
  const selectWaiting = statement`
    select
    from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const isWaiting = async (db: Database) => (await execute(db, selectWaiting)).rows.length > 0;

  test("correct once", async () => {
    expect(await correctTwice(open("workspace"))).toEqual([]);
  });

  test("control: correct twice without the lock", async () => {
    const db = await openMigrated("workspace", resources);
    const definition = statement<{ text: string }>`select pg_get_functiondef('wrong_counts'::regproc) as text`;
    const { rows } = await db.read(definition);
    const lock = "perform pg_advisory_xact_lock('live_counts'::regclass::oid::integer, 0);";
    expect(rows[0]?.text).toContain(lock);
    // biome-ignore lint/plugin: the source of the function, without a line of it.
    await execute(db, String(rows[0]?.text).replace(lock, "null;") as SqlText);
    expect(await correctTwice(db)).toMatchObject([{ list: "workspaces", counted: "6", rows: "3" }]);
  });
});
