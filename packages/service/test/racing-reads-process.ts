// Calls that read one row while it is changed, by its id: a program of its own, so that a control can change
// its source. First one call reads it that was made while the statement of another was in flight; then, after each change,
// another one, while the calls of others are reading. Prints how many reads were stale.
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
/** Runs when a statement has been executed, before its result is returned. */
let afterRead = async () => {};
const observed: typeof database = {
  ...database,
  query: async (text: SqlText, params?: readonly unknown[]) => {
    const result = await database.query(text, params);
    await afterRead();
    return result as never;
  },
};
const counters = liveRecords(sql`counters`, sql`id, value`);
const [most] = process.argv.slice(2);
const id = newId();
await database.query(sql`create table counters (id uuid primary key, value integer, deleted_at timestamptz)`);
await database.query(sql`insert into counters values ($1, 0)`, [id]);

let [committed, stale, isOver] = [0, 0, false];

/** Reads in a call of its own what was committed before it, or later. */
async function read(): Promise<void> {
  const least = committed;
  const call = guardDatabase(observed, { assertMayWrite: () => undefined }, new AbortController().signal);
  const row = await counters.select(call, id);
  if (((row as { value: number } | undefined)?.value ?? -1) < least) stale++;
}

async function change(): Promise<void> {
  await database.query(sql`update counters set value = $2 where id = $1`, [id, committed + 1]);
  committed++;
}

async function readDuringAnother(): Promise<void> {
  const [executed, mayReturn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  afterRead = () => {
    executed.resolve();
    return mayReturn.promise;
  };
  const other = read();
  await executed.promise;
  await change();
  const own = read();
  mayReturn.resolve();
  await Promise.all([other, own]);
}

async function write(): Promise<void> {
  const after: Promise<void>[] = [];
  while (committed < Number(most) && stale === 0) {
    await change();
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

await readDuringAnother();
await Promise.all([write(), ...Array.from({ length: OTHERS }, readOn)]);
await database.close();
process.stdout.write(String(stale));
