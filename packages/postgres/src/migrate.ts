import type pg from "pg";
import { assertOwnsTables } from "./assert-owns-tables.ts";
import { checkApplied } from "./check-applied.ts";
import { classifyFault, DatabaseUnavailable } from "./database-unavailable.ts";
import { grantRights, type ProgramRights } from "./grant-rights.ts";
import { inOneSession } from "./in-one-session.ts";
import { type Migration, type MigrationSource, readMigrations } from "./read-migrations.ts";
import type { Log } from "./sql.ts";
import { nameInSql, sql } from "./sql-text.ts";

export interface MigrateOptions {
  /** Connects as the owner of the schema. */
  url: string;
  /** Created if missing; the role then needs the permission to create it. */
  schema: string;
  /** Applied in this order. */
  sources: readonly MigrationSource[];
  /** Granted afterwards; if absent, only the owner can use the schema. */
  rights?: ProgramRights | undefined;
  log: Log;
}

/**
 * Applies the migrations that the schema lacks, each in a transaction of its own, and grants the program's role its
 * rights. Safe in concurrent processes: one applies them, the others wait and have nothing left to apply. Ignores applied
 * migrations that it has no file for (a newer release's). Throws when a file differs from the one that was applied under
 * its name. Waits up to 30 s for a server that is starting, but not for one whose certificate is not accepted.
 */
export async function migrate({ url, schema, sources, rights, log }: MigrateOptions): Promise<void> {
  await inOneSession({ url, schema, applicationName: `migrate ${schema}`, log }, async (client) => {
    // Held by the session: it is released with the connection, even when this process is killed.
    await client.query(sql`select pg_advisory_lock(hashtextextended('migrate ' || $1, 0))`, [schema]);
    await createSchema(client, schema);
    for (const source of sources) await applySource(client, source, log);
    if (rights !== undefined) await grantRights(client, schema, rights);
  });
}

/** Creates the schema if missing. CREATE SCHEMA IF NOT EXISTS needs the permission even when the schema exists. */
async function createSchema(client: pg.Client, schema: string): Promise<void> {
  const select = sql`
    select
    from pg_namespace
    where nspname = $1`;
  const { rows } = await client.query(select, [schema]);
  if (rows.length === 0) await client.query(sql`create schema ${nameInSql(schema)}`);
  await assertOwnsTables(client, schema);
  await client.query(createTable);
  await client.query(addChecksum);
}

const createTable = sql`
  create table if not exists schema_migrations (
    source text not null,
    name text not null,
    applied_at timestamptz not null default now(),
    primary key (source, name)
  )`;

// Compatible with a release without the column: it inserts no checksum, and the next start of this one adds it.
const addChecksum = sql`
  alter table schema_migrations
  add column if not exists checksum text`;

async function applySource(client: pg.Client, source: MigrationSource, log: Log): Promise<void> {
  const migrations = await readMigrations(source.folder);
  const applied = await checkApplied(client, source.name, migrations);
  for (const { name, checksum } of migrations.filter((migration) => applied.get(migration.name) === null)) {
    await client.query(updateChecksum, [source.name, name, checksum]);
  }
  for (const migration of migrations) {
    if (applied.has(migration.name)) continue;
    await applyMigration(client, source.name, migration);
    log.info({ source: source.name, migration: migration.name }, "migration applied");
  }
}

const updateChecksum = sql`
  update schema_migrations
  set checksum = $3
  where source = $1 and name = $2 and checksum is null`;

async function applyMigration(client: pg.Client, source: string, migration: Migration): Promise<void> {
  try {
    await client.query("begin");
    await client.query(migration.sql);
    await client.query(insertApplied, [source, migration.name, migration.checksum]);
    await client.query("commit");
  } catch (error) {
    const fault = classifyFault(error);
    if (fault instanceof DatabaseUnavailable) throw fault;
    throw new Error(`migration ${source}/${migration.name} failed`, { cause: error });
  }
}

const insertApplied = sql`
  insert into schema_migrations (source, name, checksum)
  values ($1, $2, $3)`;
