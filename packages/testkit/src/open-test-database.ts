import { type Database, type DatabaseOptions, openDatabase } from "@cloud/postgres";
import { testTelemetry } from "./test-telemetry.ts";

type Place = Pick<DatabaseOptions, "url" | "schema">;

/**
 * Opens a pool for a test of anything but its limits: a machine that stands still for a while is no reason to refuse a
 * statement.
 */
export const openTestDatabase = (options: Place & Partial<DatabaseOptions>): Database =>
  openDatabase({
    applicationName: "test",
    log: testTelemetry().log,
    connectTimeoutMs: 30_000,
    statementTimeoutMs: 30_000,
    ...options,
  });
