import { afterEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { type RestorablePostgres, startRestorablePostgres } from "../src/faults/restorable-postgres.ts";
import { startClients } from "../src/figures/start-load.ts";
import { waitFor } from "../src/test-telemetry.ts";

let postgres: RestorablePostgres | undefined;
afterEach(async () => {
  const started = postgres;
  postgres = undefined;
  await started?.stop();
});

async function query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: postgres?.superuserUrl });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const insert = (note: string) => query("insert into notes (note) values ($1)", [note]);
const notes = async () => (await query<{ note: string }>("select note from notes order by n")).map(({ note }) => note);

const UNTIL_EARLY = ["before the first backup", "after it"];

describe("a Postgres that is restored to a moment", () => {
  test("has what was committed before the moment and nothing later, from either of two backups", async () => {
    postgres = await startRestorablePostgres();
    await query("create table notes (n serial, note text not null)");
    await insert("before the first backup");
    await postgres.backUp();
    await insert("after it");
    const early = await postgres.markMoment();
    await insert("after the early moment");
    await postgres.backUp();
    await insert("after the second backup");
    const late = await postgres.markMoment();
    await insert("too late");

    await postgres.restoreTo(late);
    const untilLate = [...UNTIL_EARLY, "after the early moment", "after the second backup"];
    expect(await notes()).toEqual(untilLate);
    await insert("after the restore");
    const again = await postgres.markMoment();

    // Back to a moment before the first restore, and forward to one after it.
    await postgres.restoreTo(early);
    expect(await notes()).toEqual(UNTIL_EARLY);
    await insert("given up");
    await postgres.restoreTo(again);
    expect(await notes()).toEqual([...untilLate, "after the restore"]);
  }, 180_000);

  test("under load: backed up, marked and restored while clients write", async () => {
    postgres = await startRestorablePostgres();
    await query("create table notes (n bigint primary key, padding text not null)");
    let begun = 0;
    const confirmed = new Set<number>();
    const clients = startClients(4, 5, async () => {
      const n = ++begun;
      const inserted = query("insert into notes select $1, repeat('x', 2000)", [n]).then(
        () => true,
        () => false, // the server is being replaced
      );
      if (await inserted) confirmed.add(n);
      return await inserted;
    });
    try {
      await reached(() => confirmed.size >= 100);
      await postgres.backUp();
      await reached(() => confirmed.size >= 300);
      const kept = [...confirmed];
      const moment = await postgres.markMoment();
      const later = begun;
      await reached(() => begun >= later + 100);
      const lost = begun;
      await postgres.restoreTo(moment);
      const [back, before] = [begun, confirmed.size];
      await reached(() => confirmed.size >= before + 100);
      await clients.stop();

      const rows = await query<{ n: string }>("select n from notes");
      const there = new Set(rows.map(({ n }) => Number(n)));
      expect(kept.filter((n) => !there.has(n))).toEqual([]);
      // Writes in progress when the server was stopped may have reached it again.
      expect([...there].filter((n) => n > later && n < lost - 4)).toEqual([]);
      expect([...confirmed].filter((n) => n > back && !there.has(n))).toEqual([]);
    } finally {
      await clients.stop();
    }
  }, 180_000);
});

const reached = (isEnough: () => boolean) => waitFor(() => isEnough() || undefined, { deadlineMs: 60_000 });
