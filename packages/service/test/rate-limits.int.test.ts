import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { reasonOf } from "@cloud/access/errors";
import { newId, type OrganizationId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { migrate } from "@cloud/postgres/migrations";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { createTelemetry, type Telemetry } from "@cloud/runtime/telemetry";
import { createTestDatabase, openTestDatabase, type TestDatabase, testTelemetry } from "@cloud/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type RateLimits, startRateLimits } from "../src/rate-limits.ts";
import { migrationsOf } from "../src/service-config.ts";

// The database fails, is late, or comes back: no request fails for it, and each replica keeps the limit.

const schema = "test";
const LIMIT = 10;
const PATIENT_MS = 30_000;
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

function start(url: string, of = telemetry, maxWaitMs?: number): RateLimits {
  const wait = maxWaitMs === undefined ? {} : { maxWaitMs };
  const limits = startRateLimits({ url, schema, telemetry: of, perToken: 0, perOrganization: LIMIT, ...wait });
  resources.push(() => limits.stop());
  return limits;
}

/** Makes requests at once; returns how many passed. */
async function passing(requests: number, { countOrganization }: RateLimits): Promise<number> {
  const count = async () => {
    try {
      await countOrganization?.(organization);
      return 1;
    } catch (error) {
      expect(reasonOf(error)).toBe(Reason.RATE_LIMITED);
      return 0;
    }
  };
  const passed: number[] = await Promise.all(Array.from({ length: requests }, count));
  return passed.reduce((sum, one) => sum + one, 0);
}

const logged = (text: string) => lines.filter((line) => line.includes(text)).length;

async function migrateSchema(): Promise<void> {
  const migrations = await mkdtemp(path.join(tmpdir(), "no-migrations-"));
  resources.push(() => rm(migrations, { recursive: true }));
  const sources = migrationsOf({ name: schema, migrations, appendOnly: [], logs: [], readOnly: [] });
  await migrate({ url: database.ownerUrl, schema, sources, log: telemetry.log });
}

test("without a database, a replica keeps the limit by itself, and reports it once", async () => {
  const limits = start("postgres://user@127.0.0.1:1/none");
  expect(await passing(4, limits)).toBe(4);
  expect(await passing(3 * LIMIT, limits)).toBe(LIMIT - 4);
  expect(logged("are not shared")).toBe(1);
});

test("requests are counted together again when the database is back", async () => {
  // A request that a slow machine delays must not be counted without the database: each replica then counts by itself.
  const limits = start(database.ownerUrl, telemetry, PATIENT_MS); // without the table
  const others = start(database.ownerUrl, testTelemetry(), PATIENT_MS);
  expect(await passing(4, limits)).toBe(4);
  expect(logged("are not shared")).toBe(1);
  await migrateSchema();
  expect(await passing(4, limits)).toBe(4);
  expect(logged("again")).toBe(1);
  expect(await passing(3 * LIMIT, others)).toBe(LIMIT - 4);
  expect(await passing(1, limits)).toBe(0);
});

test("a locked table fails no request, and lifts no limit", async () => {
  await migrateSchema();
  const db = openTestDatabase({ url: database.ownerUrl, schema, log: telemetry.log });
  resources.push(() => db.close());
  const limits = start(database.ownerUrl);
  await db.transaction(async (tx) => {
    await tx.query(statement`lock table rate_limits in access exclusive mode`);
    expect(await passing(3 * LIMIT, limits)).toBe(LIMIT);
    expect(logged("are not shared")).toBe(1);
  });
});
