import { expect, test } from "@jest/globals";
import { nameInSql, parameter, type Reader, type SqlText, sql, statement } from "./statement.ts";

test("inserts SQL into SQL verbatim", () => {
  const columns = sql`id, name`;
  const text = sql`
    select ${columns}
    from notes
    where name like ${parameter(2)} escape '\'`;
  expect(text).toBe("\n    select id, name\n    from notes\n    where name like $2 escape '\\'");
});

test.each(["", "Notes", "1st", "a-b", "a;b", 'a"b', "a b", "a".repeat(64)])(
  "refuses a name that needs quotes: %j",
  (name) => {
    expect(() => nameInSql(name)).toThrow(TypeError);
  },
);

test("the types refuse everything but constants", () => {
  const refuse = async (db: Reader, name: string) => {
    // @ts-expect-error a string is no statement
    await db.read("select 1");
    // @ts-expect-error nor is a variable
    await db.read(name);
    // @ts-expect-error nor is a part of one
    await db.read(sql`select 1`);
    const untagged = `select 1 where name = '${name}'` as const;
    // @ts-expect-error an untagged template
    await db.read(untagged);
    // @ts-expect-error a variable in a hole
    await db.read(statement`select 1 where name = '${name}'`);
    // @ts-expect-error a number in a hole
    await db.read(statement`select 1 limit ${1}`);
    const joined = `${sql`select 1 where name = `}${name}`;
    // @ts-expect-error concatenation
    await db.read(statement`${joined}`);
    const table: SqlText = sql`notes`;
    await db.read(statement`select 1 from ${table} where name = $1`, [name]);
  };
  expect(refuse).toBeInstanceOf(Function); // the compiler checks it: an unused @ts-expect-error is an error
});
