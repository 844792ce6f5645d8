import { type Database, type Reader, type SqlText, sql, statement } from "@cloud/postgres";
import { execute, maintain } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { selectEnvironmentPageAmong } from "../../../../services/environment/src/environments/sql.ts";
import { selectTeamPageAmong } from "../../../../services/identity/src/teams/sql.ts";
import { openMigrated } from "../schemas/service-schemas.ts";
import { largeLists, organizations, ROWS } from "./large-lists.ts";
import { rowsRead } from "./rows-read.ts";
import { idOf, packed } from "./seeds.ts";

const SEEDING_MS = 120_000;
const LINKS = ROWS / 2;
/**
 * Each record is compared with the ids once, to count them; besides, the rows of a page are read, and those before
 * them.
 */
const PAGE = ROWS + 1_100;
/**
 * A search has no count, examines the first rows of the list before it asks its index, and the records that it finds.
 */
const SEARCH = PAGE + 5_000;

const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());

const first = { search: "", order: { column: "created_at", direction: "desc" }, page: 0, pageSize: 25 } as const;
const pages = { identity: selectTeamPageAmong, environment: selectEnvironmentPageAmong };

/** The workspace is linked to the records with even numbers. */
const ids = packed(Array.from({ length: LINKS }, (_, n) => idOf(2 * (n + 1))));

describe.each(["identity", "environment"] as const)("%s, of a workspace with 50,000 of 100,000 records", (service) => {
  let db: Database;
  beforeAll(async () => {
    db = await openMigrated(service, resources);
    const list = largeLists[service].find(({ name }) => name === "teams" || name === "environments");
    if (list === undefined) throw new Error("there is no list");
    const index: SqlText = service === "identity" ? sql`teams_search` : sql`environments_search`;
    const { rows } = await db.read(
      statement<{ statement: SqlText }>`select pg_get_indexdef($1::regclass) as statement`,
      [index],
    );
    await execute(db, statement`drop index ${index}`);
    await execute(db, organizations);
    await execute(db, list.seed);
    for (const { statement } of rows) await execute(db, statement);
    await maintain(db, sql`vacuum analyze`);
  }, SEEDING_MS);

  const list = (assigned: boolean, more: object) => (on: Reader) => {
    return pages[service](on, { organizationId: idOf<never>(7), ids, assigned, query: { ...first, ...more } });
  };

  describe.each([true, false])("linked: %s", (assigned) => {
    test.each([
      ["the first page", {}, LINKS, PAGE],
      ["by another order", { order: { column: "updated_at", direction: "asc" } }, LINKS, PAGE],
      // Every other record is linked.
      ["page 1,000", { page: 999 }, LINKS, PAGE + 2 * 25_000],
      ["a rare text", { search: "zäbra" }, assigned ? 0 : 10, SEARCH],
      ["no text", { search: "qqq" }, 0, SEARCH],
      // Reading 100,000 rows in this order costs much, so Postgres sorts them if it expects few to be listed.
      ["no text, by another order", { search: "qqq", order: { column: "updated_at", direction: "asc" } }, 0, SEARCH],
      ["a text that all contain", { search: "record" }, 10_000, 2 * SEARCH],
    ])("%s", async (_case, more, total, max) => {
      expect((await list(assigned, more)(db)).totalCount).toBe(total);
      expect(await rowsRead(db, list(assigned, more))).toBeLessThan(max);
    });
  });
});
