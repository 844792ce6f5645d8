import { type Database, oneRow, type SqlText, sql, statement, type Tx } from "@cloud/postgres";
import { execute, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openMigrated, SERVICES } from "../schemas/service-schemas.ts";
import { records, updates } from "./updates.ts";

describe.each(SERVICES)("%s", (service) => {
  const resources = new AsyncDisposableStack();
  let db: Database;
  beforeAll(async () => {
    db = await openMigrated(service, resources);
    for (const record of records[service]) await execute(db, record);
  });
  afterAll(() => resources.disposeAsync());

  describe.each([
    ["of a transaction that began before another writer's", sql`interval '0 hours'`],
    ["by a clock that is behind another writer's", sql`interval '1 hour'`],
  ])("%s", (_when, ahead) => {
    test.each(updates[service])("%s does not put the time back", async (_name, table, run) => {
      const undone = new Error("rolled back");
      const changed = db.transaction(async (tx) => {
        await tx.query(statement`select now()`);
        await waitFor(async () => (await tx.query(laterThanBegin)).rows.length === 1 || undefined, {
          deadlineMs: 30_000,
        });
        await execute(db, statement`update ${table} set updated_at = clock_timestamp() + ${ahead}`);
        const before = await timeIn(db, table);
        await run(tx);
        expect(await timeIn(tx, table)).toBeGreaterThanOrEqual(before);
        throw undone;
      });
      await expect(changed).rejects.toBe(undone);
    });
  });
});

const laterThanBegin = statement`select where clock_timestamp() > now() + interval '5 milliseconds'`;

/** Returns the earlier of the times of the last update and of the end of the only record, in milliseconds. */
async function timeIn(db: Database | Tx, table: SqlText): Promise<number> {
  const text = statement<{ ms: number }>`
    select extract(epoch from least(updated_at, (to_jsonb(record)->>'deleted_at')::timestamptz))::float8 * 1000 as ms
    from ${table} record`;
  return oneRow(await db.read(text)).ms;
}
