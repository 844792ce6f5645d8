import { purgedInbox, purgedOutbox } from "@cloud/events";
import { type Database, type SqlText, sql, statement, type Tx } from "@cloud/postgres";
import { type PurgedTable, purgeTable } from "@cloud/postgres/migrations";
import { execute, within } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { schema as identity } from "../../../../services/identity/src/service.ts";
import { schema as workspace } from "../../../../services/workspace/src/service.ts";
import { nameInSql } from "../../../postgres/src/statement.ts";
import { selectWrongCounts } from "../counts/wrong-counts.ts";
import { openMigrated, type Service } from "../schemas/service-schemas.ts";

const here = new AbortController().signal;
const atOnce = async () => undefined;
let resources: AsyncDisposableStack;

beforeEach(() => {
  resources = new AsyncDisposableStack();
});
afterEach(() => resources.disposeAsync());

/** Returns the database, and how many rows each of its transactions deleted. */
function watched(db: Database) {
  const batches: number[] = [];
  const transaction: Database["transaction"] = async (work) => {
    const result = await db.transaction(work);
    batches.push((result as { rows: { deleted: number }[] }).rows[0]?.deleted ?? 0);
    return result;
  };
  return { db: { transaction }, batches };
}

const countBy = async (db: Database, text: SqlText) =>
  Object.fromEntries(
    (await execute<{ what: string; count: number }>(db, text)).rows.map((row) => [row.what, row.count]),
  );

describe("events", () => {
  const insertPublished = statement`
    insert into outbox (subject, type, payload, published_at)
    select $1, '', '', now() - $2::interval - n * interval '1 microsecond'
    from generate_series(1, $3::integer) n`;
  const insertReceived = statement`
    insert into inbox (consumer, event_id, received_at)
    select $1, n, now() - $2::interval
    from generate_series(1, $3::integer) n`;

  test("published ones are deleted after 7 days, in steps of at most 1,000; younger and unpublished ones stay", async () => {
    const db = await openMigrated("environment", resources);
    await execute(db, insertPublished, ["old", "7 days 1 minute", 2300]);
    await execute(db, insertPublished, ["young", "6 days 23 hours", 5]);
    await execute(
      db,
      statement`
      insert into outbox (subject, type, payload, created_at)
      values ('unpublished', '', '', now() - interval '1 year')`,
    );
    const { db: watching, batches } = watched(db);
    expect(await purgeTable(watching, purgedOutbox, { days: 7, signal: here, pause: atOnce })).toBe(2300);
    expect(batches.reduce((sum, deleted) => sum + deleted, 0)).toBe(2300);
    expect(Math.max(...batches)).toBeLessThanOrEqual(1_000);
    const left = sql`select subject as what, count(*)::integer from outbox group by 1`;
    expect(await countBy(db, left)).toEqual({ young: 5, unpublished: 1 });
  });

  test("received ones of one moment are deleted, all of them", async () => {
    const db = await openMigrated("environment", resources);
    await execute(db, insertReceived, ["old", "14 days 1 minute", 2500]);
    await execute(db, insertReceived, ["young", "13 days 23 hours", 5]);
    expect(await purgeTable(db, purgedInbox, { days: 14, signal: here, pause: atOnce })).toBe(2500);
    const left = sql`select consumer as what, count(*)::integer from inbox group by 1`;
    expect(await countBy(db, left)).toEqual({ young: 5 });
  });
});

/** The id of a line of that age. */
const id = sql`
  (lpad(to_hex((extract(epoch from now() - age) * 1000)::bigint), 12, '0') || '7'
    || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid`;

interface Log {
  readonly service: Service;
  readonly table: PurgedTable;
  readonly insert: SqlText;
  readonly count: SqlText;
}

/** `$1`: the age; `$2`: the number of lines. */
const logs: readonly Log[] = [
  {
    service: "workspace",
    table: workspace.logs[0] as PurgedTable,
    insert: sql`
      insert into activity_events
        (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind, created_at)
      select ${id}, lpad(to_hex(n % 3), 32, '0')::uuid, lpad('7', 32, '0')::uuid, '', 'update', 'success', age, '', '',
        now() - age
      from (select $1::interval as age) ages, generate_series(1, $2::integer) n`,
    count: sql`select description as what, count(*)::integer from activity_events group by 1`,
  },
  {
    service: "identity",
    table: identity.logs[0] as PurgedTable,
    insert: sql`
      insert into audit_events (id, actor, action, target, metadata, request_id, created_at)
      select ${id}, '', 'member.added', age, '{}', '', now() - age
      from (select $1::interval as age) ages, generate_series(1, $2::integer) n`,
    count: sql`select target as what, count(*)::integer from audit_events group by 1`,
  },
];

describe.each(logs)("the log of $service", ({ service, table, insert, count }) => {
  let db: Database;
  const counts = () => countBy(db, count);

  beforeEach(async () => {
    db = await openMigrated(service, resources);
    await execute(db, insert, ["41 days", 1500]);
    await execute(db, insert, ["39 days", 10]);
    await execute(db, insert, ["0 days", 10]);
  });

  test("loses the lines that are older than the setting, and its counts stay right", async () => {
    const old = await execute(db, table.countOld, [40]);
    expect(old.rows).toEqual([{ count: 1500 }]);
    expect(await purgeTable(db, table, { days: 40, signal: here, pause: atOnce })).toBe(1500);
    expect(await counts()).toEqual({ "39 days": 10, "00:00:00": 10 });
    expect((await execute(db, selectWrongCounts[service])).rows).toEqual([]);
    expect(await purgeTable(db, table, { days: 40, signal: here, pause: atOnce })).toBe(0);
  });

  test("keeps its lines for 30 days, whatever a program asks for", async () => {
    await expect(purgeTable(db, table, { days: 29, signal: here })).rejects.toThrow(/kept for at least 30 days/);
    await expect(execute(db, table.deleteNext, ["", null, 10])).rejects.toThrow(/kept for at least 30 days/);
    expect(await counts()).toEqual({ "41 days": 1500, "39 days": 10, "00:00:00": 10 });
  });

  test("a purge that fails between two batches leaves what the next one deletes", async () => {
    const pause = () => Promise.reject(new Error("the process ends"));
    await expect(purgeTable(db, table, { days: 40, signal: here, pause })).rejects.toThrow("the process ends");
    expect(await counts()).toEqual({ "41 days": 1000, "39 days": 10, "00:00:00": 10 });
    expect(await purgeTable(db, table, { days: 40, signal: here, pause: atOnce })).toBe(1000);
    expect(await counts()).toEqual({ "39 days": 10, "00:00:00": 10 });
  });

  test("two purges at once delete each line once", async () => {
    const purge = () => purgeTable(db, table, { days: 40, signal: here, pause: atOnce });
    const [one, other] = await Promise.all([purge(), purge()]);
    expect(one + other).toBeLessThanOrEqual(1500);
    expect(one + other + (await purge())).toBe(1500);
    expect(await counts()).toEqual({ "39 days": 10, "00:00:00": 10 });
    expect((await execute(db, selectWrongCounts[service])).rows).toEqual([]);
  });
});

describe("a purge of lines that the statistics do not know of yet", () => {
  const OLD = 20_000;
  const BATCH = 500;

  /**
   * Returns how many rows a batch reads to find its own and to delete them, in a transaction that is rolled back; `send`
   * may leave out a statement.
   */
  async function rowsReadBy(db: Database, { table, send }: { table: PurgedTable; send: (tx: Tx) => Tx["query"] }) {
    let read = 0;
    const rolledBack = db.transaction(async (tx) => {
      const first = new AbortController();
      const purging = within({ ...tx, query: send(tx) });
      await purgeTable(purging, table, { days: 40, signal: first.signal, pause: async () => first.abort() });
      read = (await tx.query(rowsRead, [table.name])).rows[0]?.rows ?? 0;
      throw new Error("rolled back");
    });
    await expect(rolledBack).rejects.toThrow("rolled back");
    return read;
  }
  const rowsRead = statement<{ rows: number }>`
    select (seq_tup_read + idx_tup_fetch)::integer as rows
    from pg_stat_xact_user_tables
    where relname = $1 and schemaname = current_schema()`;
  /** Sends all but the setting by which a batch is read in the order of an index. */
  const withoutOrder = (tx: Tx): Tx["query"] => {
    const query: Tx["query"] = async (one, params) => {
      if (!one.text.startsWith("set local enable_sort")) return await tx.query(one, params);
      return { command: "SET", rowCount: 0, rows: [] };
    };
    return query;
  };

  test.each(logs)("reads only the rows of its batch, from $table.name", async ({ service, table, insert }) => {
    const db = await openMigrated(service, resources);
    await execute(db, statement`alter table ${nameInSql(table.name)} set (autovacuum_enabled = false)`);
    await execute(db, insert, ["1 day", OLD]);
    await db.read(statement`analyze`);
    await execute(db, insert, ["41 days", OLD]);
    const read = await rowsReadBy(db, { table, send: (tx) => tx.query });
    expect(read).toBeGreaterThanOrEqual(BATCH);
    expect(read).toBeLessThanOrEqual(3 * BATCH);
    const control = await rowsReadBy(db, { table, send: withoutOrder });
    expect(control).toBeGreaterThanOrEqual(OLD - BATCH);
  });
});
