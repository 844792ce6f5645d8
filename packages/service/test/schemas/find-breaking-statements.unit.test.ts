import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { findBreakingStatements, MARK } from "./find-breaking-statements.ts";

const root = new URL("../../../../", import.meta.url);
const folders = ["packages", "services"].flatMap((parent) =>
  readdirSync(new URL(parent, root)).map((name) => `${parent}/${name}/migrations/`),
);
const migrations = folders.flatMap((folder) => filesOf(folder).map((file) => folder + file));

function filesOf(folder: string): string[] {
  try {
    return readdirSync(new URL(folder, root)).filter((file) => file.endsWith(".sql"));
  } catch {
    return []; // most packages have no schema
  }
}

test("finds the migrations", () => expect(migrations.length).toBeGreaterThanOrEqual(9));

test.each(migrations)("%s is compatible with the previous binary, or is marked `-- breaking: why`", (file) => {
  const text = readFileSync(new URL(file, root), "utf8");
  expect(MARK.test(text) ? [] : findBreakingStatements(text)).toEqual([]);
});

test.each([
  "drop table notes",
  "drop table if exists notes cascade",
  "drop function new_event_id()",
  "alter table notes rename to remarks",
  "alter table notes rename column text to body",
  "alter table notes rename text to body",
  "alter table notes drop column text",
  "alter table notes drop text",
  "alter table notes add column a integer, drop column b",
  "alter table notes drop constraint notes_pair",
  "alter table notes alter column text set not null",
  "alter table notes alter text type varchar(10)",
  "ALTER TABLE notes ALTER COLUMN text SET DATA TYPE varchar(10)",
  "alter table notes add column text text not null",
  "alter table notes add text text check (text in ('a', 'b')) not null",
  "alter type color rename value ''",
])("is breaking: %s", (statement) => {
  expect(findBreakingStatements(`create table other (id uuid);\n-- why\n${statement};`)).toHaveLength(1);
});

test.each([
  "create table notes (id uuid not null)",
  "create unlogged table notes (id uuid); alter table notes drop column id",
  "create table notes (id uuid); alter table notes drop column id",
  "alter table notes add column text text",
  "alter table notes add column text text not null default 'a, drop column b'",
  "alter table notes add column text text not null default '' check (text in ('a', 'b'))",
  "alter table notes alter column text drop not null",
  "alter table notes alter column text drop default",
  "alter table notes alter column text set default ''",
  "alter sequence numbers owned by notes.number",
  "drop index notes_by_text",
  "-- drop table notes",
  "create function f() returns void language sql as $$ drop table notes; $$",
  "insert into notes values ('; drop table notes;')",
])("is not breaking: %s", (statement) => {
  expect(findBreakingStatements(statement)).toEqual([]);
});

test.each([
  ["-- breaking: the release before writes `text`\ndrop table notes;", true],
  ["-- breaking:\ndrop table notes;", false],
  ["-- A comment.\n-- breaking: too late\ndrop table notes;", false],
])("the mark is the first line and gives a reason: %j", (text, marked) => expect(MARK.test(text)).toBe(marked));
