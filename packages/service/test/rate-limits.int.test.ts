import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { newId, type OrganizationId } from "@cloud/contract";
import { type Database, migrate, openDatabase, sql } from "@cloud/postgres";
import { createTelemetry, type Telemetry } from "@cloud/telemetry";
import { createTestDatabase, type TestDatabase, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { migrationsOf } from "../src/index.ts";
import { type RateLimits, startRateLimits } from "../src/rate-limits/start-rate-limits.ts";

// The database fails, is late, or comes back: requests never wait for it.

const schema = "test";
const LIMIT = 10;
/** The clock stands still: otherwise a test that is played across a full minute counts in two windows. */
const NOW = Date.now();
const organization = newId<OrganizationId>();
const resources: (() => Promise<unknown>)[] = [];
let lines: string[];
let telemetry: Telemetry;
let database: TestDatabase;

beforeEach(async () => {
  lines = [];
  const destination = { write: (line: string) => void lines.push(line) };
  telemetry = createTelemetry({ service: "test", level: "info", destination, processMetrics: false });
  database = await createTestDatabase(schema);
  resources.push(() => database.drop());
});
afterEach(async () => {
  for (const release of resources.splice(0).toReversed()) await release();
});

function start(url: string): RateLimits {
  const limits = startRateLimits({
    url,
    schema,
    telemetry,
    perToken: 0,
    perOrganization: LIMIT,
    exchangeMs: 10,
    now: () => NOW,
  });
  resources.push(() => limits.stop());
  return limits;
}

function open(url: string): Database {
  const db = openDatabase({ url, schema, applicationName: "test", log: telemetry.log });
  resources.push(() => db.close());
  return db;
}

/** Makes requests at once; returns how many passed. */
function passing(requests: number, { countOrganization }: RateLimits): number {
  let passed = 0;
  for (let index = 0; index < requests; index++) {
    try {
      countOrganization?.(organization);
      passed++;
    } catch {
      // Refused.
    }
  }
  return passed;
}

const logged = (text: string) => lines.filter((line) => line.includes(text)).length;
const sumIn = async (db: Database) => {
  const select = sql`
    select used
    from rate_limit_usage`;
  return (await db.query<{ used: number }>(select)).rows[0]?.used;
};

async function migrateSchema(): Promise<void> {
  const migrations = await mkdtemp(path.join(tmpdir(), "no-migrations-"));
  resources.push(() => rm(migrations, { recursive: true }));
  const sources = migrationsOf({ name: schema, migrations, appendOnly: [], logs: [], readOnly: [] });
  await migrate({ url: database.ownerUrl, schema, sources, log: telemetry.log });
}

test("without a database, a replica keeps the limit by itself, and reports it once", async () => {
  const limits = start("postgres://user@127.0.0.1:1/none");
  expect(passing(4, limits)).toBe(4);
  await waitFor(() => logged("are not shared") || undefined, { deadlineMs: 30_000 });
  expect(passing(3 * LIMIT, limits)).toBe(LIMIT - 4);
  expect(logged("are not shared")).toBe(1);
});

test("what could not be exchanged is exchanged when the database is back", async () => {
  const limits = start(database.ownerUrl); // without the table
  expect(passing(4, limits)).toBe(4);
  await waitFor(() => logged("are not shared") || undefined, { deadlineMs: 30_000 });
  await migrateSchema();
  const db = open(database.ownerUrl);
  await waitFor(async () => (await sumIn(db)) === 4 || undefined, { deadlineMs: 30_000 });
  await waitFor(() => logged("again") || undefined, { deadlineMs: 30_000 });
  expect(passing(3 * LIMIT, limits)).toBe(LIMIT - 4);
});

test("a locked table delays no request, and lifts no limit", async () => {
  await migrateSchema();
  const db = open(database.ownerUrl);
  const limits = start(database.ownerUrl);
  await db.withTransaction(async (tx) => {
    await tx.query(sql`lock table rate_limit_usage in access exclusive mode`);
    expect(passing(4, limits)).toBe(4);
    const waiting = sql`
      select
      from pg_locks
      where relation = 'rate_limit_usage'::regclass and not granted`;
    await waitFor(async () => (await tx.query(waiting)).rowCount || undefined, { deadlineMs: 30_000 });
    expect(passing(3 * LIMIT, limits)).toBe(LIMIT - 4);
  });
  await waitFor(async () => (await sumIn(db)) === LIMIT || undefined, { deadlineMs: 30_000 });
});
