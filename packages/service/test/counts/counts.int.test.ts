import { randomUUID } from "node:crypto";
import { type Database, sql, statement } from "@cloud/postgres";
import { execute } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openMigrated, type Service } from "../schemas/service-schemas.ts";
import { selectWrongCounts, type WrongCount } from "./wrong-counts.ts";

const resources = new AsyncDisposableStack();
const databases = new Map<Service, Database>();
beforeAll(async () => {
  for (const service of ["workspace", "environment", "identity"] as const) {
    databases.set(service, await openMigrated(service, resources));
  }
});
afterAll(() => resources.disposeAsync());

function open(service: Service): Database {
  const db = databases.get(service);
  if (db === undefined) throw new Error(`${service} has no database`);
  return db;
}

const wrongCounts = async (service: Service) =>
  (await execute<WrongCount>(open(service), selectWrongCounts[service])).rows;

const selectCounts = statement<{ list: string; count: number }>`
  select list, sum(count)::integer as count, count(*)::integer as rows
  from live_counts
  where scope = any($1)
  group by list
  order by list`;
async function countsOf(service: Service, ...scopes: string[]): Promise<Record<string, number>> {
  const { rows } = await open(service).read(selectCounts, [scopes]);
  return Object.fromEntries(rows.map(({ list, count }) => [list, count]));
}

const insertOrganization = statement`insert into organizations (id) values ($1)`;
const insertWorkspaces = statement`
  insert into workspaces (id, organization_id, name, description, owner)
  select gen_random_uuid(), $1, n, '', ''
  from generate_series(1, $2) n`;
const insertDesigns = statement`
  insert into designs (id, organization_id, name, description, owner, visibility)
  select gen_random_uuid(), $1, n, '', '', (array['private', 'public'])[1 + n % 2]
  from generate_series(1, $2) n`;
// Locked in the order of ids: two statements that lock the same rows in different orders would deadlock.
const deleteAllOf = statement`
  with locked as (
    select id from workspaces where organization_id = $1 and deleted_at is null order by id for no key update
  )
  update workspaces
  set deleted_at = '2026-01-01'
  from locked
  where workspaces.id = locked.id`;
const restoreAllOf = statement`
  with locked as (
    select id from workspaces where organization_id = $1 and deleted_at = '2026-01-01' order by id for no key update
  )
  update workspaces
  set deleted_at = null
  from locked
  where workspaces.id = locked.id`;

async function newOrganization(): Promise<string> {
  const id = randomUUID();
  await execute(open("workspace"), insertOrganization, [id]);
  return id;
}

describe("a count is the number of rows", () => {
  test("after creation, deletion, restoration and removal, of one and of many at once", async () => {
    const db = open("workspace");
    const id = await newOrganization();
    await execute(db, insertWorkspaces, [id, 1]);
    await execute(db, insertWorkspaces, [id, 5000]);
    expect(await countsOf("workspace", id)).toEqual({ workspaces: 5001 });
    await execute(db, deleteAllOf, [id]);
    expect(await countsOf("workspace", id)).toEqual({ workspaces: 0 });
    await execute(db, restoreAllOf, [id]);
    expect(await countsOf("workspace", id)).toEqual({ workspaces: 5001 });
    await execute(db, statement`delete from workspaces where organization_id = $1 and name = '1'`, [id]);
    expect(await countsOf("workspace", id)).toEqual({ workspaces: 4999 });
    expect(await wrongCounts("workspace")).toEqual([]);
  });

  test("when a design moves to another organization, and when it changes its visibility", async () => {
    const db = open("workspace");
    const [from, to] = [await newOrganization(), await newOrganization()];
    await execute(db, insertDesigns, [from, 3]);
    await execute(db, statement`update designs set organization_id = $2 where organization_id = $1 and name = '2'`, [
      from,
      to,
    ]);
    await execute(
      db,
      statement`update designs set visibility = 'published' where organization_id = $1 and name = '1'`,
      [from],
    );
    expect(await countsOf("workspace", from)).toEqual({
      "designs:private": 0,
      "designs:public": 1,
      "designs:published": 1,
    });
    expect(await countsOf("workspace", to)).toEqual({ "designs:private": 1 });
    expect(await wrongCounts("workspace")).toEqual([]);
  });

  test("after a transaction that rolled back", async () => {
    const id = await newOrganization();
    const work = open("workspace").transaction(async (tx) => {
      await tx.query(insertWorkspaces, [id, 7]);
      throw new Error("no");
    });
    await expect(work).rejects.toThrow("no");
    expect(await countsOf("workspace", id)).toEqual({});
  });
});

describe("writers of one organization", () => {
  test("do not wait for each other, and have no more rows than there are of them", async () => {
    const db = open("workspace");
    const id = await newOrganization();
    // Each transaction begins inside the one before it, which has not committed: a wait would never end.
    const nested = async (depth: number): Promise<void> => {
      await db.transaction(async (tx) => {
        await tx.query(insertWorkspaces, [id, 1]);
        if (depth > 1) await nested(depth - 1);
      });
    };
    await nested(8);
    for (let n = 0; n < 20; n++) await nested(4);
    const { rows } = await db.read(selectCounts, [[id]]);
    expect(rows).toEqual([{ list: "workspaces", count: 88, rows: 8 }]);
  });

  test("count correctly in 8 transactions at once that delete, restore and create in two organizations", async () => {
    const db = open("workspace");
    const ids = [await newOrganization(), await newOrganization()];
    for (const id of ids) await execute(db, insertWorkspaces, [id, 20]);
    const write = async (writer: number) => {
      for (let turn = 0; turn < 12; turn++) {
        await db.transaction(async (tx) => {
          // Writers take the ids in opposite orders, so that any lock on them could deadlock.
          for (const id of writer % 2 === 0 ? ids : ids.toReversed())
            await tx.query(insertWorkspaces, [id, 1 + writer]);
        });
        const id = ids[(writer + turn) % 2];
        await execute(db, turn % 3 === 0 ? restoreAllOf : deleteAllOf, [id]);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
    expect(await wrongCounts("workspace")).toEqual([]);
    const { rows } = await db.read(
      statement<{ count: string }>`select count(*) from workspaces where organization_id = any($1)`,
      [ids],
    );
    expect(rows[0]?.count).toBe(String(40 + 2 * 12 * 36));
  }, 60_000);
});

test("the other services count, too", async () => {
  const id = randomUUID();
  const environment = open("environment");
  await execute(environment, insertOrganization, [id]);
  await execute(
    environment,
    statement`insert into environments (id, organization_id, name, description) values (gen_random_uuid(), $1, '', '')`,
    [id],
  );
  await execute(
    environment,
    statement`insert into credentials (id, organization_id, name, type) values (gen_random_uuid(), $1, '', '')`,
    [id],
  );
  expect(await countsOf("environment", id)).toEqual({ credentials: 1, environments: 1 });

  const identity = open("identity");
  await execute(identity, insertOrganization, [id]);
  await execute(identity, statement`insert into users (id, email) values ($1, 'a')`, [id]);
  await execute(identity, statement`insert into teams (id, organization_id) values (gen_random_uuid(), $1)`, [id]);
  await execute(
    identity,
    statement`insert into tokens (id, user_id, digest, hint) values (gen_random_uuid(), $1, sha256('a'), '')`,
    [id],
  );
  await execute(identity, statement`update teams set deleted_at = now() where organization_id = $1`, [id]);
  expect(await countsOf("identity", id)).toEqual({ teams: 0, tokens: 1 });
  for (const service of ["identity", "environment"] as const) expect(await wrongCounts(service)).toEqual([]);
});

test.each(["insert", "update", "delete"])(
  "control: without the trigger for %s, a count is wrong",
  async (operation) => {
    const db = open("workspace");
    const id = await newOrganization();
    const work = db.transaction(async (tx) => {
      const drop = statement<{ statement: never }>`
      select format('drop trigger %I on workspaces', 'workspaces_' || $1 || '_count') as statement`;
      const { rows } = await tx.query(drop, [operation]);
      await execute(tx, rows[0]?.statement ?? sql``);
      await tx.query(insertWorkspaces, [id, 3]);
      await tx.query(statement`update workspaces set deleted_at = now() where organization_id = $1 and name = '1'`, [
        id,
      ]);
      await tx.query(statement`delete from workspaces where organization_id = $1 and name = '2'`, [id]);
      const found = await execute<WrongCount>(tx, selectWrongCounts.workspace);
      expect(found.rows.map(({ scope }) => scope)).toEqual([id]);
      throw new Error("undone");
    });
    await expect(work).rejects.toThrow("undone");
  },
);
