import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { assertSchemaName, connectionSettings } from "./connection-settings.ts";
import { classifyFault, DatabaseUnavailable } from "./database-unavailable.ts";
import { type MigrationSource, readMigrations } from "./read-migrations.ts";
import type { Log } from "./sql.ts";

export interface MigrateOptions {
  url: string;
  /** Created when missing, which the role must then be permitted to do. */
  schema: string;
  /** Applied in this order. */
  sources: readonly MigrationSource[];
  log: Log;
}

/**
 * Applies the migrations that the schema lacks, each in a transaction of its own. Safe in many processes at once: one
 * works, the others wait and find nothing to do. Migrations that it does not know (a newer release's) are left alone.
 * Waits up to 30 s for a server that is starting.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const deadline = AbortSignal.timeout(30_000);
  for (;;) {
    try {
      return await attempt(options);
    } catch (error) {
      const fault = classifyFault(error);
      if (!(fault instanceof DatabaseUnavailable) || deadline.aborted) throw fault;
      options.log.info({ err: fault.cause, schema: options.schema }, "migrations wait for Postgres");
      await wait(250);
    }
  }
}

async function attempt({ url, schema, sources, log }: MigrateOptions): Promise<void> {
  const limits = { connectTimeoutMs: 5000, statementTimeoutMs: 0 };
  const client = new pg.Client(connectionSettings({ url, schema, applicationName: `migrate ${schema}`, ...limits }));
  client.on("error", () => undefined); // the statement that runs meanwhile rejects with it
  try {
    await client.connect();
    // Held by the session: it ends with the connection, also when this process is killed.
    await client.query("select pg_advisory_lock(hashtextextended('migrate ' || $1, 0))", [schema]);
    await createSchema(client, schema);
    for (const source of sources) await applySource(client, source, log);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** CREATE SCHEMA IF NOT EXISTS asks for the permission even when the schema exists. */
async function createSchema(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query("select from pg_namespace where nspname = $1", [schema]);
  if (rows.length === 0) await client.query("create schema " + assertSchemaName(schema));
  await client.query(
    "create table if not exists schema_migrations (" +
      "source text not null, name text not null, applied_at timestamptz not null default now()," +
      " primary key (source, name))",
  );
}

async function applySource(client: pg.Client, source: MigrationSource, log: Log): Promise<void> {
  const applied = await client.query<{ name: string }>("select name from schema_migrations where source = $1", [
    source.name,
  ]);
  const known = new Set(applied.rows.map((row) => row.name));
  for (const migration of await readMigrations(source.folder)) {
    if (known.has(migration.name)) continue;
    await applyMigration(client, source.name, migration);
    log.info({ source: source.name, migration: migration.name }, "migration applied");
  }
}

async function applyMigration(client: pg.Client, source: string, migration: { name: string; sql: string }) {
  try {
    await client.query("begin");
    await client.query(migration.sql);
    await client.query("insert into schema_migrations (source, name) values ($1, $2)", [source, migration.name]);
    await client.query("commit");
  } catch (error) {
    const fault = classifyFault(error);
    if (fault instanceof DatabaseUnavailable) throw fault;
    throw new Error(`migration ${source}/${migration.name} failed`, { cause: error });
  }
}
