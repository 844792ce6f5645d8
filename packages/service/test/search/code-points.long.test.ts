import { searchText } from "@cloud/access/values";
import { type Database, statement } from "@cloud/postgres";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openMigrated } from "../schemas/service-schemas.ts";

const resources = new AsyncDisposableStack();
let db: Database;
beforeAll(async () => {
  db = await openMigrated("workspace", resources);
});
afterAll(() => resources.disposeAsync());

describe("search_text", () => {
  test("folds each code point as searchText does, unless Postgres has an older Unicode without its case", async () => {
    const { rows } = await db.read(statement<{ n: number; folded: string }>`
      select n, search_text(chr(n)) as folded
      from generate_series(1, 1114111) n
      where n not between 55296 and 57343`);
    const different = rows.filter(({ n, folded }) => folded !== searchText(String.fromCodePoint(n)));
    expect(different.filter(({ n, folded }) => folded !== String.fromCodePoint(n))).toEqual([]);
    expect(different.filter(({ n }) => n < 0x1c80)).toEqual([]);
  });

  test("folds without context, and folds what is folded to itself", async () => {
    const { rows } = await db.read(statement`
      select n
      from generate_series(1, 1114111) n
      cross join lateral (select chr(n) as c, search_text(chr(n)) as folded) one
      where n not between 55296 and 57343
        and (search_text(folded) <> folded
          or search_text('xΣ' || c || 'Σ y') <> 'xσ' || folded || 'σ y'
          or search_text(upper(c collate "und-x-icu")) <> folded
          or search_text(normalize(c, nfc)) <> folded)`);
    expect(rows).toEqual([]);
  });
});
