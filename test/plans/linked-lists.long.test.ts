import { packIds } from "@cloud/contract";
import { type Database, type Reader, type SqlText, sql, statement } from "@cloud/postgres";
import { execute, maintain } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { selectEnvironmentsAmong } from "../../services/environment/src/environments/environment-sql.ts";
import { selectTeamsAmong } from "../../services/identity/src/teams/team-sql.ts";
import { openMigrated } from "../schemas/service-schemas.ts";
import { largeLists, organizations, ROWS } from "./large-lists.ts";
import { rowsRead } from "./rows-read.ts";
import { idOf } from "./seeds.ts";

const SEEDING_MS = 120_000;
const LINKS = ROWS / 2;
/** All ids of links, which one node of the plan makes of the parameter and another reads, once for each of two lists. */
const IDS = 2 * (LINKS + LINKS);
/** All records, and all ids. */
const ONCE = ROWS + IDS + 1_100;

const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());

const first = { search: "", order: { column: "created_at", direction: "desc" }, page: 0, pageSize: 25 } as const;
const pages = { identity: selectTeamsAmong, environment: selectEnvironmentsAmong };

/** The workspace is linked to the records with even numbers. */
const ids = packIds(Array.from({ length: LINKS }, (_, n) => idOf<never>(2 * (n + 1))));

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
      ["the first page", {}, LINKS, 300],
      ["by another order", { order: { column: "updated_at", direction: "asc" } }, LINKS, 300],
      ["page 1,000", { page: 999 }, LINKS, ONCE],
      ["a rare text", { search: "zäbra" }, assigned ? 0 : 10, 10_000],
      ["no text", { search: "qqq" }, 0, 10_000],
      // Reading 100,000 rows in this order costs much, so Postgres sorts them if it expects few to be listed.
      ["no text, by another order", { search: "qqq", order: { column: "updated_at", direction: "asc" } }, 0, 10_000],
      ["a text that all contain", { search: "record" }, 10_000, ONCE + 5_000],
    ])("%s", async (_case, more, total, most) => {
      expect((await list(assigned, more)(db)).totalCount).toBe(total);
      expect(await rowsRead(db, list(assigned, more))).toBeLessThan(most);
    });
  });
});
