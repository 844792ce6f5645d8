import { type Database, type SqlText, sql, statement } from "@cloud/postgres";
import { META_COLUMNS } from "@cloud/postgres/lists";
import { execute, maintain } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openMigrated } from "../schemas/service-schemas.ts";
import { type LargeList, largeLists, organizations, type Query, ROWS } from "./large-lists.ts";
import { rowsRead } from "./rows-read.ts";

// The rows that a statement reads are counted, not Postgres's estimate: a sequential scan or a sort of everything would
// read all 100,000 rows, by whichever plan.

const SEEDING_MS = 120_000;
const first: Query = { search: "", order: { column: "created_at", direction: "desc" }, page: 0, pageSize: 25 };

const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());

/**
 * Returns a row without what differs between two statements: the marks, the first columns of a row of texts, and the
 * snapshot of a line of the log, in which transactions of other tests are.
 */
function recordOf(row: unknown): unknown {
  if (Array.isArray(row)) return row.slice(META_COLUMNS);
  const { snapshot: _snapshot, ...record } = row as { readonly snapshot?: string };
  return record;
}

/** The indexes of keys take 20 times as long when rows are inserted one by one. */
async function seed(db: Database, lists: readonly LargeList[]): Promise<void> {
  const select = statement<{ name: SqlText; statement: SqlText }>`
    select indexname as name, indexdef as statement
    from pg_indexes
    where schemaname = current_schema() and indexname like '%_search'`;
  const { rows: indexes } = await db.read(select);
  for (const { name } of indexes) await execute(db, statement`drop index ${name}`);
  await execute(db, organizations);
  for (const list of lists) await execute(db, list.seed);
  for (const { statement } of indexes) await execute(db, statement);
  await maintain(db, sql`vacuum analyze`);
}

describe.each(["workspace", "environment", "identity"] as const)("%s", (service) => {
  let db: Database;
  beforeAll(async () => {
    db = await openMigrated(service, resources);
    await seed(db, largeLists[service]);
  }, SEEDING_MS);

  describe.each(largeLists[service].map((list) => [list.name, list] as const))("%s", (name, { columns, one, all }) => {
    const orders = columns.flatMap((column) => (["asc", "desc"] as const).map((direction) => ({ column, direction })));

    test.each(orders)("by $column $direction: the first page and page 1,000", async (order) => {
      for (const list of [one, ...(all === undefined ? [] : [all])]) {
        expect(await rowsRead(db, (sqlOf) => list(sqlOf, { ...first, order }))).toBeLessThan(200);
        const deep = await rowsRead(db, (sqlOf) => list(sqlOf, { ...first, order, page: 999 }));
        expect(deep).toBeLessThan(25_200);
      }
    });

    test("counts without reading the rows", async () => {
      expect((await one(db, first)).totalCount).toBe(ROWS);
      if (all !== undefined) expect((await all(db, first)).totalCount).toBe(ROWS + 1000);
    });

    test.each([
      ["a rare text", "zäbra", 10, 3_000],
      ["no text", "qqq", 0, 3_000],
      ["one rare character", "ä", 10, 3_000],
      ["one character that is in none", "~", 0, 3_000],
      ["each tenth", "TENTH", 10_000, 45_000],
    ])("finds %s", async (_case, search, totalCount, max) => {
      for (const list of [one, ...(all === undefined ? [] : [all])]) {
        const query = { ...first, search };
        const found = await list(db, query);
        expect(found.totalCount).toBe(totalCount);
        expect(await rowsRead(db, (sqlOf) => list(sqlOf, query))).toBeLessThan(max);
      }
    });

    // 78 of the first 1,000 rows in this order contain it, 66 of the last: too few for the order, and enough to be
    // sought by the first key, which all rows have.
    test("finds a text that begins as all rows do by its other keys", async () => {
      const query: Query = {
        ...first,
        search: "record 38",
        order: { column: columns[1] ?? "created_at", direction: "desc" },
      };
      expect((await one(db, query)).totalCount).toBe(name === "activity_events" ? 1_000 : 1_111);
      expect(await rowsRead(db, (sqlOf) => one(sqlOf, query))).toBeLessThan(20_000);
    });

    test.each(["record", "e", "or"])("counts %j up to 10,000", async (search) => {
      const query = { ...first, search };
      const { totalCount, totalCountCapped, rows } = await one(db, query);
      expect([totalCount, totalCountCapped, rows.length]).toEqual([10_000, true, 25]);
      expect(rows.map(recordOf)).toEqual((await one(db, first)).rows.map(recordOf));
      expect(await rowsRead(db, (sqlOf) => one(sqlOf, query))).toBeLessThan(45_000);
    });
  });
});

test(
  "control: without their indexes, lists and searches read everything",
  async () => {
    const db = await openMigrated("workspace", resources);
    const [workspaces, , , log] = largeLists.workspace;
    if (workspaces === undefined || log === undefined) throw new Error("there are no lists");
    await seed(db, [workspaces, log]);
    await execute(
      db,
      statement`drop index workspaces_by_created_at, workspaces_of_all_by_created_at, workspaces_search`,
    );
    await execute(db, statement`drop index activity_events_by_workspace, activity_events_by_description`);
    await execute(db, statement`drop trigger workspaces_insert_count on workspaces`);
    for (const list of [workspaces, log]) {
      expect(await rowsRead(db, (sqlOf) => list.one(sqlOf, first))).toBeGreaterThan(ROWS / 2);
      expect(await rowsRead(db, (sqlOf) => list.one(sqlOf, { ...first, search: "qqq" }))).toBeGreaterThan(ROWS / 2);
    }
  },
  SEEDING_MS,
);
