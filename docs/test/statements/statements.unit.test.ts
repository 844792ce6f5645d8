import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { classify } from "./classify.ts";
import { ROOT, statementsOf } from "./read-statements.ts";
import { renderStatements } from "./render-statements.ts";
import { readTables } from "./tables.ts";

const PAGE = `${ROOT}docs/statements.md`;

test("docs/statements.md counts the statements of the sources by what they name", () => {
  const rendered = renderStatements();
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(PAGE, rendered);
  expect(readFileSync(PAGE, "utf8")).toBe(rendered);
});

const tables = readTables();

test.each([
  ["select id, organization_id from workspaces where id = $1", "id"],
  ["select id from workspaces where organization_id = $1 and id = $2", "organization"],
  ["insert into teams (id, organization_id, name) values ($1, $2, $3)", "organization"],
  ["select id from organizations where id = $1 for share", "organization"],
  ["select resource_id from assignments where workspace_id = $1", "workspace"],
  ["delete from assignments where id = any($1)", "id"],
  ["select id from assignments order by id limit $1", "all"],
  ["select user_id from tokens where digest = $1", "users"],
  ["update outbox set claimed_until = null where id = any($1)", "service"],
])("%s: %s", (text, route) => {
  expect(classify({ file: "", text }, tables)).toBe(route);
});

test("constants of the file are filled in, holes with templates stay one statement", () => {
  const hole = (inner: string) => "$" + `{${inner}}`;
  const source = `const columns = sql\`a, b\`; sql\`select ${hole("columns")} from x where ${hole("has(sql`y`)")}\``;
  expect(statementsOf("f", source).map(({ text }) => text)).toEqual([
    `select a, b from x where ${hole("has(sql`y`)")}`,
  ]);
});
