import { expect, test } from "@jest/globals";
import { findInternals } from "./internals.ts";

test.each([
  ['{"error":"Error: x\\n    at read (/app/read.ts:1:2)"}'.replace("\\n", "\n"), "a stack"],
  ["see create-workspace.ts", "a source file"],
  ["in /usr/lib", "a folder"],
  ["error 23505", "a SQLSTATE"],
  ['relation "workspaces" does not exist', "words of Postgres"],
  ["parse binary: premature EOF", "words of a library"],
  ["connect ECONNREFUSED", "words of the transport"],
  ["NATS is down", "words of NATS"],
  ["127.0.0.1:5432", "an address"],
  ["TypeError: x is undefined", "an error's class"],
])("%s contains %s", (text, kind) => {
  expect(findInternals(text)).toContain(kind);
});

test("what the caller sent is not an internal", () => {
  expect(findInternals('{"name":"pg_sleep"}', "pg_sleep(1)")).toEqual([]);
  expect(findInternals('{"error":"workspace not found","code":"WORKSPACE_NOT_FOUND"}')).toEqual([]);
});
