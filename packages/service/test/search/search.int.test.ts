import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Database, statement } from "@cloud/postgres";
import { migrate } from "@cloud/postgres/migrations";
import { migrationsOf } from "@cloud/service";
import { createTestDatabase, execute, openTestDatabase, testTelemetry } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { schema } from "../../../../services/workspace/src/service.ts";
import { selectWorkspacesOf } from "../../../../services/workspace/src/workspaces/sql.ts";
import { idOf } from "../plans/seeds.ts";
import { byDate } from "../plans/statements/parameters.ts";
import { openMigrated } from "../schemas/service-schemas.ts";

const resources = new AsyncDisposableStack();
let db: Database;
beforeAll(async () => {
  db = await openMigrated("workspace", resources);
});
afterAll(() => resources.disposeAsync());

const NAMES = [
  "ΟΔΟΣΗΜΑ",
  "οδός Σταδίου ς",
  "İstanbul ISPARTA ısı",
  "Straße STRASSE ẞ",
  "ǅenan ǆ Ǆ",
  "ﬁne oﬃce ﬅop",
  "Crème Brûlée",
  "Crème Brûlée".normalize("NFD"),
  "Viê\u0323t typed with the mark last",
  "Việt Nam",
  "a\u0301\u0323\u0302b, marks in no order",
  "한국어 각",
  "\u1112\u1161\u11ab",
  "\u212bngstr\u00f6m \u212aelvin \u2126hm",
  "µService ſtrong ϐ ŉ ǰ ΐ",
  "ᾳ ᾼ ῼ \u03b1\u0345\u0301",
  "東京 🙂 Ꭰꭰ",
  "100% a_b back\\slash it's",
];

/** Returns the parts of a text, on the boundaries of its code points. */
function partsOf(text: string): string[] {
  const points = Array.from(text);
  const ends = points.map((_, index) => index + 1);
  return ends.flatMap((end) => points.slice(0, end).map((_, begin) => points.slice(begin, end).join("")));
}

const foundIn = async (name: string, searches: readonly string[]) => {
  const found: string[] = [];
  await execute(db, statement`delete from workspaces`);
  await execute(
    db,
    statement`
      with given as (
        insert into organizations (id)
        values ($1)
        on conflict (id) do nothing
      )
      insert into workspaces (id, organization_id, name, description, owner)
      values ($1, $1, $2, '', '')`,
    [idOf(1), name],
  );
  for (const search of new Set(searches)) {
    const { rows } = await selectWorkspacesOf(db, [idOf(1)], { ...byDate, search });
    if (rows.length === 1) found.push(search);
  }
  return found;
};

describe("a text is found by each of its parts", () => {
  const short = (part: string) => Array.from(part).length <= 4;
  test.each(NAMES)("%s", async (name) => {
    const parts = [...new Set(partsOf(name).filter((part) => short(part) || name.startsWith(part)))];
    expect(await foundIn(name, parts)).toEqual(parts);
  });

  test.each(NAMES)("%s, in another case and another normal form", async (name) => {
    const whole = [name.toUpperCase(), name.toLowerCase(), name.normalize("NFC"), name.normalize("NFD")];
    const words = [...whole, ...whole.flatMap((text) => text.split(" "))].filter((text) => text !== "");
    expect(await foundIn(name, words)).toEqual([...new Set(words)]);
  });

  test.each([
    ["Crème", ["creme", "crême"]],
    ["creme", ["crème"]],
    ["ΟΔΟΣ", ["ΟΔΟΤ"]],
    ["a b", ["ab"]],
  ])("control: %s is not found by %j", async (name, others) => expect(await foundIn(name, others)).toEqual([]));

  test.each(NAMES)("%s, by its keys in the index", async (name) => {
    const parts = [...partsOf(name), name.toUpperCase(), name.toLowerCase(), name.normalize("NFC")];
    const text = statement`
      select part
      from unnest($3::text[]) part
      where (strpos(search_text($2), search_text(part)) > 0 or strpos(fold_letters($2), fold_letters(part)) > 0)
        and not search_keys($1, $2) @@ search_query($1, part)`;
    expect((await db.read(text, [idOf(1), name, parts])).rows).toEqual([]);
  });
});

test("the migration gives rows that are there their keys", async () => {
  await using stack = new AsyncDisposableStack();
  const database = await createTestDatabase("workspace");
  stack.defer(() => database.drop());
  const place = { url: database.ownerUrl, schema: "workspace", log: testTelemetry().log };
  const sources = migrationsOf(schema);
  const before = await mkdtemp(path.join(tmpdir(), "migrations-"));
  stack.defer(() => rm(before, { recursive: true }));
  const isBefore = (file: string) => !/_search_text|_search_keys/.test(file) || file.endsWith("0004_search_keys.sql");
  for (const { folder, name } of sources)
    await cp(folder, path.join(before, name), { recursive: true, filter: isBefore });
  await migrate({ ...place, sources: sources.map(({ name }) => ({ name, folder: path.join(before, name) })) });
  const old = openTestDatabase(place);
  stack.defer(() => old.close());
  await execute(old, statement`insert into organizations (id) values ($1)`, [idOf(1)]);
  await execute(
    old,
    statement`
      insert into workspaces (id, organization_id, name, description, owner)
      select gen_random_uuid(), $1, 'ΟΔΟΣ', '', ''
      from generate_series(1, 3)`,
    [idOf(1)],
  );

  await migrate({ ...place, sources });
  const found = old.transaction(async (tx) => {
    await tx.query(statement`set local enable_seqscan = off`);
    const text = statement`
      select
      from workspaces
      where deleted_at is null
        and search_keys(organization_id, name || e'\n' || description) @@ search_query($1, 'οδοσ')`;
    return (await tx.query(text, [idOf(1)])).rows.length;
  });
  expect(await found).toBe(3);
});
