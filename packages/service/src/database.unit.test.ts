import type { Database } from "@cloud/postgres";
import type { Tracing } from "@cloud/runtime/telemetry";
import { expect, test } from "@jest/globals";
import { traceDatabase } from "./database.ts";

test("while tracing is off, a database is not wrapped: its statements cost nothing more", () => {
  const db = { schema: "workspace" } as Database;
  expect(traceDatabase(db, undefined)).toBe(db);
  expect(traceDatabase(db, { stop: async () => undefined } as Tracing)).not.toBe(db);
});
