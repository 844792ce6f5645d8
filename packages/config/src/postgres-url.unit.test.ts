import { expect, test } from "@jest/globals";
import { postgresUrl, readConfig } from "./index.ts";

const FILE = import.meta.filename;
const read = (parameters: string) =>
  readConfig({ DATABASE_URL: postgresUrl() }, { DATABASE_URL: `postgres://u:p@db/cloud${parameters}` });

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
  ["?sslmode=require", "sslmode must be verify-full or disable"],
  ["?sslmode=no-verify", "sslmode must be verify-full or disable"],
  ["?sslmode=verify_full", "sslmode must be verify-full or disable"],
  ["?ssl=true", "the parameter ssl is not accepted: use sslmode=verify-full"],
  ["?sslmode=verify-full&uselibpqcompat=true", "the parameter uselibpqcompat is not accepted: use sslmode=verify-full"],
  [`?sslrootcert=${FILE}`, "sslrootcert needs sslmode=verify-full"],
  [`?sslmode=disable&sslcert=${FILE}&sslkey=${FILE}`, "sslcert needs sslmode=verify-full"],
  [`?sslmode=verify-full&sslcert=${FILE}`, "sslcert and sslkey need each other"],
  ["?sslmode=verify-full&sslrootcert=/nowhere/ca.crt", "the file /nowhere/ca.crt cannot be read: ENOENT"],
])("refuses %s", (parameters, problem) => {
  expect(() => read(parameters)).toThrow(new Error(`the configuration is not usable:\n  DATABASE_URL: ${problem}`));
});
