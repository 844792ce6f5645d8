// Calls that read one row while it is changed, by its id or as a page: a program of its own, so that a control can change
// its source. After each change a call reads it, while the calls of others are reading. Prints as JSON how many reads
// there were, in how many statements, and how many were stale; ends at the first one that is.
import { setImmediate as nextTurn } from "node:timers/promises";
import { newId } from "@cloud/contract";
import { openDatabase, type SqlText, sql } from "@cloud/postgres";
import { createTelemetry } from "@cloud/telemetry";
import { guardDatabase } from "../src/handlers/guard-database.ts";
import { liveRecords } from "../src/index.ts";

const OTHERS = 8;

const { log } = createTelemetry({ service: "test", level: "silent" });
const options = { url: process.env["DATABASE_URL"] ?? "", schema: "test", applicationName: "racing-reads", log };
const database = openDatabase(options);
let statements = 0;
const counting: typeof database = {
  ...database,
  query: (text: SqlText, params?: readonly unknown[]) => {
    statements++;
    return database.query(text, params);
  },
  queryAll: (reads) => {
    statements += reads.length;
    return database.queryAll(reads);
  },
};
const counters = liveRecords(sql`counters`, sql`id, value`);
const selectCounter = sql`
  select value
  from counters
  where id = $1`;
const [what, most] = process.argv.slice(2);
const isPage = what === "page";
const id = newId();
await database.query(sql`create table counters (id uuid primary key, value integer, deleted_at timestamptz)`);
await database.query(sql`insert into counters values ($1, 0)`, [id]);

let [reads, committed, stale, isOver] = [0, 0, 0, false];

/** Reads in a call of its own what was committed before it, or later. */
async function read(): Promise<void> {
  const least = committed;
  reads++;
  const call = guardDatabase(counting, { assertMayWrite: () => undefined }, new AbortController().signal);
  const row = isPage ? (await call.queryPage?.(selectCounter, [id], "one"))?.rows[0] : await counters.select(call, id);
  if (((row as { value: number } | undefined)?.value ?? -1) < least) stale++;
}

async function write(): Promise<void> {
  const after: Promise<void>[] = [];
  while (committed < Number(most) && stale === 0) {
    await database.query(sql`update counters set value = $2 where id = $1`, [id, committed + 1]);
    committed++;
    after.push(read());
  }
  isOver = true;
  await Promise.all(after);
}

async function readOn(): Promise<void> {
  while (!isOver) {
    await read();
    await nextTurn(); // also where a control makes reads that wait for nothing
  }
}

await Promise.all([write(), ...Array.from({ length: OTHERS }, readOn)]);
await database.close();
process.stdout.write(JSON.stringify({ reads, statements, stale }));
