import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTestDatabase, execute, openTestDatabase, type TestDatabase, testTelemetry } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type PageQuery, PageTooLarge } from "../src/lists/page-query.ts";
import { META_COLUMNS } from "../src/lists/read-page.ts";
import { selectPage, selectTextPage } from "../src/lists/select-page.ts";
import { migrate } from "../src/migrations/migrate.ts";
import type { Database } from "../src/open-database.ts";
import { type Reader, type RunHeavy, sql, statement } from "../src/statement.ts";

interface Row {
  id: number;
  name: string;
  created_at: Date;
}

/** Creates the functions by which searches compare texts. */
async function createSearchText(url: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "search-text-"));
  await cp(
    new URL("../../service/migrations/0009_search_text.sql", import.meta.url),
    path.join(folder, "0001_search_text.sql"),
  );
  await migrate({ url, schema: "test", log: testTelemetry().log, sources: [{ folder, name: "service" }] });
  await rm(folder, { recursive: true });
}

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase("test");
  db = openTestDatabase({ url: database.ownerUrl, schema: "test" });
  await createSearchText(database.ownerUrl);
  await execute(
    db,
    statement`
      create table notes (id integer, name text, description text, org text, created_at timestamptz, updated_at timestamptz)`,
  );
  const names = ["100%", "a_b", "back\\slash", "ÄRGER", "axb", "1000"];
  await execute(
    db,
    statement`
      insert into notes
      select n, name, null, 'one', '2026-01-01', '2026-01-01'
      from unnest($1::text[]) with ordinality as t (name, n)`,
    [names],
  );
  await execute(
    db,
    statement`
    insert into notes
    values (7, 'late', 'Described', 'one', '2026-01-02', '2026-01-02')`,
  );
  await execute(
    db,
    statement`
    insert into notes
    values (8, 'foreign', null, 'two', '2026-01-02', '2026-01-02')`,
  );
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

const QUERY: PageQuery = {
  columns: sql`n.id, n.name, n.created_at, n.updated_at`,
  from: sql`notes n`,
  where: sql`n.org = $1`,
  params: ["one"],
  search: "",
  searchColumns: [sql`n.name`, sql`n.description`],
  order: { column: "created_at", direction: "desc" },
  page: 0,
  pageSize: 25,
};
const page = (changes: Partial<PageQuery> = {}) => selectPage<Row>(db, { ...QUERY, ...changes });
const found = async (search: string) => (await page({ search })).rows.map((row) => row.name);

describe("search", () => {
  test.each([
    ["%", ["100%"]],
    ["_", ["a_b"]],
    ["\\", ["back\\slash"]],
    ["0%", ["100%"]],
    ["A_B", ["a_b"]],
    ["ärger", ["ÄRGER"]],
    ["dEsCrIbEd", ["late"]],
    ["foreign", []],
    ["'", []],
    ["\0", []],
  ])("%j finds %j", async (search, names) => expect(await found(search)).toEqual(names));
});

describe("a page", () => {
  test("has the newest first, ties by id in the same direction, and unchanged rows", async () => {
    const { totalCount, rows } = await page({ pageSize: 3 });
    expect(totalCount).toBe(7);
    expect(rows.map((row) => row.id)).toEqual([7, 6, 5]);
    const time = new Date("2026-01-02T00:00:00Z");
    expect(rows[0]).toEqual({ id: 7, name: "late", created_at: time, updated_at: time });
  });

  test("repeats and skips no row over all pages, in both directions", async () => {
    for (const direction of ["asc", "desc"] as const) {
      const pages = [0, 1, 2, 3].map((index) =>
        page({ page: index, pageSize: 2, order: { column: "updated_at", direction } }),
      );
      const ids = (await Promise.all(pages)).flatMap(({ rows }) => rows.map((row) => row.id));
      expect(ids).toEqual(direction === "asc" ? [1, 2, 3, 4, 5, 6, 7] : [7, 6, 5, 4, 3, 2, 1]);
    }
  });

  test.each([1, 9, Number.MAX_SAFE_INTEGER])("past the end (%d) is empty and reports the total", async (index) => {
    expect(await page({ page: index, pageSize: 100 })).toEqual({ totalCount: 7, rows: [] });
  });

  test("of no rows is empty", async () => {
    expect(await page({ params: ["none"] })).toEqual({ totalCount: 0, rows: [] });
  });
});

describe("a page of texts", () => {
  const texts = async (within: Reader, changes: Partial<PageQuery> = {}) => {
    const { totalCount, rows } = await selectTextPage(within, { ...QUERY, ...changes });
    return { totalCount, rows: rows.map((row) => row.slice(META_COLUMNS)) };
  };
  const time = "2026-01-02 00:00:00+00";
  const columns = sql`n.id, n.name, n.description, n.created_at`;

  test("has the columns as Postgres prints them", async () => {
    const rows = [
      ["7", "late", "Described", time],
      ["6", "1000", null, "2026-01-01 00:00:00+00"],
    ];
    expect(await texts(db, { columns, pageSize: 2 })).toEqual({ totalCount: 7, rows });
    expect(await db.transaction((tx) => texts(tx, { columns, pageSize: 2 }))).toEqual({ totalCount: 7, rows });
    expect((await page({ columns, pageSize: 1 })).rows).toEqual([
      { id: 7, name: "late", description: "Described", created_at: new Date("2026-01-02T00:00:00Z") },
    ]);
  });

  test("past the end, or of no rows, is empty", async () => {
    expect(await texts(db, { page: 9 })).toEqual({ totalCount: 7, rows: [] });
    expect(await texts(db, { params: ["none"] })).toEqual({ totalCount: 0, rows: [] });
  });
});

describe("a large column", () => {
  beforeAll(async () => {
    await execute(db, statement`alter table notes add column content jsonb`);
    // Compressed, they take 92 KiB each. Two of them are just below the limit, the third is a little larger.
    await execute(
      db,
      statement`
      insert into notes
      select n, 'large', null, 'three', '2026-01-01', '2026-01-01',
        jsonb_build_object('text', repeat('x', 8388576 + 64 * (n = 12)::int))
      from generate_series(10, 12) n`,
    );
  });
  const large = (changes: Partial<PageQuery>) =>
    page({ columns: sql`n.*`, params: ["three"], largeColumn: sql`content`, ...changes });

  test("of at most 16 MiB in a page is read", async () => {
    const { totalCount, rows } = await large({ order: { column: "created_at", direction: "asc" }, pageSize: 2 });
    expect([totalCount, rows.map(({ id }) => id)]).toEqual([3, [10, 11]]);
    expect((await large({ page: 9 })).totalCount).toBe(3);
  });

  test("beyond it is PageTooLarge", async () => {
    await expect(large({ pageSize: 2 })).rejects.toThrow(PageTooLarge);
    const query = { ...QUERY, columns: sql`n.*`, params: ["three"], largeColumn: sql`content`, pageSize: 2 };
    await expect(selectTextPage(db, query)).rejects.toThrow(PageTooLarge);
  });

  test("from 1 MiB in a page is read when it is its turn, and not before; a smaller one needs no turn", async () => {
    let turns = 0;
    const runHeavy: RunHeavy = (read) => {
      turns++;
      return read();
    };
    const inTurns = { ...db, runHeavy };
    const query = { ...QUERY, columns: sql`n.*`, params: ["three"], largeColumn: sql`content`, pageSize: 1 };
    expect((await selectTextPage(inTurns, query)).rows.length).toBe(1);
    expect(turns).toBe(1);
    expect((await selectTextPage(inTurns, { ...query, params: ["one"] })).rows.length).toBe(1);
    expect(turns).toBe(1);
    const refused = new Error("refused");
    const refusing = { ...db, runHeavy: () => Promise.reject(refused) };
    await expect(selectTextPage(refusing, query)).rejects.toBe(refused);
  });
});
