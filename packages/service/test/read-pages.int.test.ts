import { type Database, openDatabase, type ReadStatement, sql } from "@cloud/postgres";
import { createTestDatabase, type TestDatabase, testTelemetry } from "@cloud/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import { guardDatabase } from "../src/handlers/guard-database.ts";

let database: TestDatabase;
let opened: Database;
let db: Database;
/** The parameters of the reads of each round trip through `db`. */
let roundTrips: unknown[][] = [];
/** Runs before a round trip is sent. */
let beforeTrip: (reads: readonly ReadStatement[]) => Promise<void>;

beforeAll(async () => {
  database = await createTestDatabase("test");
  opened = openDatabase({ url: database.ownerUrl, schema: "test", applicationName: "test", log: testTelemetry().log });
  db = {
    ...opened,
    queryAll: async (reads) => {
      roundTrips.push(reads.map(({ params }) => params[0]));
      await beforeTrip(reads);
      return await opened.queryAll(reads);
    },
  };
});
beforeEach(() => {
  roundTrips = [];
  beforeTrip = async () => undefined;
});
afterEach(() => void jest.useRealTimers());
afterAll(async () => {
  await opened.close();
  await database.drop();
});

const half = sql`select 10 / $1::integer as half`;

/** Reads in a call of its own. */
async function read(organization: string, param: number | string, signal = new AbortController().signal) {
  const call = guardDatabase(db, { assertMayWrite: () => undefined }, signal);
  const result = await call.queryPage?.(half, [param], organization);
  return (result?.rows[0] as { half: number } | undefined)?.half;
}

test("the reads of an organization that arrive together share a round trip, and equal ones a statement", async () => {
  const results = await Promise.all([read("a", 1), read("b", 2), read("a", 5), read("a", 1), read("b", 10)]);
  expect(results).toEqual([10, 5, 2, 10, 1]);
  expect(roundTrips).toEqual([
    [1, 5],
    [2, 10],
  ]);
});

test("a read that fails fails no other", async () => {
  const results = await Promise.allSettled([read("a", 1), read("a", 0), read("a", 2), read("a", "x"), read("a", 5)]);
  expect(results.map((result) => (result.status === "fulfilled" ? result.value : String(result.reason)))).toEqual([
    10,
    "error: division by zero",
    5,
    'error: invalid input syntax for type integer: "x"',
    2,
  ]);
});

test("at most 4 reads share a round trip, at most two round trips of an organization are in flight", async () => {
  // A third one begins when one of them takes longer than 20 ms.
  jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "performance", "Date"] });
  const held = Promise.withResolvers<void>();
  beforeTrip = async ([first]) => {
    if (first?.params[0] === 1) await held.promise;
  };
  const first = read("a", 1);
  await new Promise(setImmediate);
  const others = Array.from({ length: 17 }, (_, index) => read("a", index + 2));
  expect(await read("b", 1_000)).toBe(0);
  // The second one takes turns with those after it, while the first is held.
  await Promise.all(others);
  held.resolve();
  await first;
  expect(roundTrips.map((reads) => reads.length)).toEqual([1, 4, 1, 4, 4, 4, 1]);
});

test("a read whose caller has left does not begin", async () => {
  const left = new AbortController();
  left.abort(new Error("left"));
  await expect(read("a", 1, left.signal)).rejects.toThrow("left");
  expect(roundTrips).toEqual([]);
});
