import { expect, test } from "@jest/globals";
import { postgresUrl } from "./postgres-url.ts";
import { readConfig } from "./settings.ts";

const FILE = import.meta.filename;
const read = (parameters: string, login = "u:p") =>
  readConfig({ DATABASE_URL: postgresUrl() }, { DATABASE_URL: `postgres://${login}@db/cloud${parameters}` });
const INSTEAD =
  "sslmode=verify-full, and sslrootcert=<file> with the provider's authority unless Node knows it; or sslmode=disable";

test.each([
  "",
  "?sslmode=disable",
  "?sslmode=verify-full",
  `?sslmode=verify-full&sslrootcert=${FILE}`,
  `?sslmode=verify-full&sslrootcert=${FILE}&sslcert=${FILE}&sslkey=${FILE}`,
])("accepts %s", (parameters) => {
  expect(read(parameters).DATABASE_URL).toBe(`postgres://u:p@db/cloud${parameters}`);
});

test.each([
  ...["require", "prefer", "allow", "verify-ca", "no-verify", "verify_full"].map((mode) => [
    `?sslmode=${mode}`,
    `sslmode must be verify-full or disable: in place of sslmode=${mode} write ${INSTEAD}`,
  ]),
  ["?ssl=true", `the parameter ssl is not accepted: in place of it write ${INSTEAD}`],
  [
    "?sslmode=verify-full&uselibpqcompat=true",
    `the parameter uselibpqcompat is not accepted: in place of it write ${INSTEAD}`,
  ],
  ["?sslmode=verify-full&sslrootcert=system", "without sslrootcert, the authorities of Node are accepted"],
  ["?options=-c%20search_path%3Dpublic", "the parameter options is not accepted: the program sends its own"],
  ["?statement_timeout=0", "the parameter statement_timeout is not accepted: the program sends its own"],
  [`?passwordfile=${FILE}`, "passwordfile cannot be set together with a password"],
  [`?sslrootcert=${FILE}`, "sslrootcert needs sslmode=verify-full"],
  [`?sslmode=disable&sslcert=${FILE}&sslkey=${FILE}`, "sslcert needs sslmode=verify-full"],
  [`?sslmode=verify-full&sslcert=${FILE}`, "sslcert and sslkey need each other"],
  ["?sslmode=verify-full&sslrootcert=/nowhere/ca.crt", "the file /nowhere/ca.crt cannot be read: ENOENT"],
])("refuses %s", (parameters, problem) => {
  expect(() => read(parameters)).toThrow(new Error(`the configuration is not usable:\n  DATABASE_URL: ${problem}`));
});

test("accepts a file in place of the password, if it can be read", () => {
  expect(read(`?passwordfile=${FILE}`, "u").DATABASE_URL).toBe(`postgres://u@db/cloud?passwordfile=${FILE}`);
  expect(() => read("?passwordfile=/nowhere/password", "u")).toThrow(
    "DATABASE_URL: the file /nowhere/password cannot be read: ENOENT",
  );
});
