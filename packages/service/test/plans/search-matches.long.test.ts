import { searchText } from "@cloud/access/values";
import { type Database, statement } from "@cloud/postgres";
import { META_COLUMNS } from "@cloud/postgres/lists";
import { execute } from "@cloud/testkit";
import { createRandom } from "@cloud/testkit/figures";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { selectWorkspacesOf } from "../../../../services/workspace/src/workspaces/sql.ts";
import { openMigrated } from "../schemas/service-schemas.ts";
import { organizations } from "./large-lists.ts";
import { idOf } from "./seeds.ts";

// More rows than a search examines in their order, so that it uses the index of keys.
const ROWS = 4000;
const home = idOf<never>(7);
const PARTS: readonly [string, ...string[]] = [
  "a",
  "B",
  "ä",
  "Ä",
  "İ",
  "ß",
  "Σ",
  "ς",
  "日本",
  "東",
  "😀",
  "%",
  "_",
  "\\",
  "'",
  '"',
  " ",
  "1",
  "\u0001",
  "\n",
  "&",
  ":*",
];

const resources = new AsyncDisposableStack();
let db: Database;
beforeAll(async () => {
  db = await openMigrated("workspace", resources);
  await execute(db, organizations);
  const texts = Array.from({ length: ROWS }, (_, n) => textOf(n));
  await execute(
    db,
    statement`
      insert into workspaces (id, organization_id, name, description, owner, created_at)
      select gen_random_uuid(), $1, name, reverse(name), '', now() - n * interval '1 second'
      from unnest($2::text[]) with ordinality as t (name, n)`,
    [home, texts],
  );
  await db.read(statement`analyze`);
}, 60_000);
afterAll(() => resources.disposeAsync());

function textOf(seed: number): string {
  const random = createRandom(seed);
  return Array.from({ length: random.between(2, 13) }, () => random.pick(PARTS)).join("");
}

/** Returns the ids of the texts that contain the search, the newest first. */
async function idsWith(search: string): Promise<string[]> {
  const { rows } = await db.read(selectTexts, [home]);
  const wanted = searchText(search);
  return rows
    .filter(({ name, description }) => [name, description].some((text) => searchText(text).includes(wanted)))
    .map(({ id }) => id);
}

const selectTexts = statement<{ id: string; name: string; description: string }>`
  select id, name, description
  from workspaces
  where organization_id = $1
  order by created_at desc, id desc`;

test("a search finds what a comparison of all texts finds, for 300 texts of one to six characters", async () => {
  for (let seed = 1; seed <= 300; seed++) {
    const text = [...textOf(-seed)].slice(0, 1 + (seed % 6)).join("");
    const expected = await idsWith(text);
    const page = seed % 3;
    const found = await selectWorkspacesOf(db, [home], {
      search: text,
      order: { column: "created_at", direction: "desc" },
      page,
      pageSize: 10,
    });
    const ids = found.rows.map((row) => row[META_COLUMNS]);
    const onPage = expected.slice(page * 10, page * 10 + 10);
    expect({ text, total: found.totalCount, ids }).toEqual({ text, total: expected.length, ids: onPage });
  }
}, 60_000);
