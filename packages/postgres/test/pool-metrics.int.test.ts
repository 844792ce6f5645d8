import { createTestDatabase, type TestDatabase, testTelemetry, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { DatabaseUnavailable } from "../src/database-errors.ts";
import { openDatabase } from "../src/open-database.ts";
import { measurePools } from "../src/pool-metrics.ts";
import { statement } from "../src/statement.ts";

let server: TestDatabase;
beforeEach(async () => {
  server = await createTestDatabase("stage");
});
afterEach(() => server.drop());

test("a pool that is exhausted is seen: what is in use, who waits, and who waited in vain", async () => {
  const { log, metrics } = testTelemetry();
  const options = { url: server.url, schema: "stage", applicationName: "test", log };
  const db = openDatabase({ ...options, maxConnections: 1, connectTimeoutMs: 3_000 });
  measurePools(metrics, { test: db });
  const figures = async () => {
    const own = (await metrics.metrics()).split("\n").filter((line) => line.startsWith("db_client_connection"));
    return own.map((line) => line.replace(/(program|db_client_connection_pool_name)="test",?/g, "").replace(",}", "}"));
  };
  const empty = ["0", "0", "1", "0", "0"];
  const valuesOf = async () => (await figures()).map((line) => line.split(" ").at(-1));
  expect(await valuesOf()).toEqual(empty);

  const held = Promise.withResolvers<void>();
  const holding = db.transaction(() => held.promise);
  const late = db.read(statement`select 1`).catch((error: unknown) => error);
  await waitFor(async () => (await valuesOf()).join() === "1,0,1,1,0" || undefined, { deadlineMs: 30_000 });
  expect(await figures()).toEqual([
    'db_client_connections{db_client_connection_state="used"} 1',
    'db_client_connections{db_client_connection_state="idle"} 0',
    "db_client_connection_max{} 1",
    "db_client_connection_pending_requests{} 1",
    "db_client_connection_timeouts_total{} 0",
  ]);
  expect(await late).toBeInstanceOf(DatabaseUnavailable);
  held.resolve();
  await holding;
  await waitFor(async () => (await valuesOf()).join() === "0,1,1,0,1" || undefined, { deadlineMs: 30_000 });
  await db.close();
});
