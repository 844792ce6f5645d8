import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { type Log, nameInSql, oneRow, sql } from "../statement.ts";
import { applyMigration } from "./apply-migration.ts";
import { grantRights, type ProgramRights } from "./grant-rights.ts";
import { inOneSession, type SessionOptions } from "./in-one-session.ts";
import { checkApplied, type MigrationSource, readMigrations } from "./read-migrations.ts";

interface MigrateOptions {
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
 * Applies the migrations that the schema lacks, each as `applyMigration` describes, and grants the program's role its
 * rights. Safe in concurrent processes: one applies them, the others wait and have nothing left to apply. Ignores
 * applied migrations that it has no file for (a newer release's). Throws when a file differs from the one that was
 * applied under its name. Waits up to 30 s for a server that is starting, but not for one whose certificate is not
 * accepted.
 */
export async function migrate({ url, schema, sources, rights, log }: MigrateOptions): Promise<void> {
  const session = { url, schema, applicationName: `migrate ${schema}`, log };
  await inOneSession(session, async (client) => {
    await lock(client, schema);
    await createSchema(client, schema);
    const isNew = await isEmpty(client);
    for (const source of sources) await applySource({ session, client, isNew, log }, source);
    if (rights !== undefined) await grantRights(client, schema, rights);
  });
}

/**
 * Waits for the lock, which the session holds: it is released with the connection, even when this process is killed.
 * Asks repeatedly, because a statement that waits has a snapshot, and `create index concurrently`, in the session that
 * holds the lock, waits for all older snapshots: a deadlock.
 */
async function lock(client: pg.Client, schema: string): Promise<void> {
  while (!(await tryLock(client, schema))) await wait(50); // protects: migration-lock
}

async function tryLock(client: pg.Client, schema: string): Promise<boolean> {
  const text = sql`select pg_try_advisory_lock(hashtextextended('migrate ' || $1, 0)) as locked`;
  return oneRow(await client.query<{ locked: boolean }>(text, [schema])).locked;
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

/** Returns whether no migration was ever applied: then no program uses the schema yet. */
async function isEmpty(client: pg.Client): Promise<boolean> {
  const text = sql`
    select
    from schema_migrations
    limit 1`;
  return (await client.query(text)).rowCount === 0;
}

interface Place {
  readonly session: SessionOptions;
  readonly client: pg.Client;
  readonly isNew: boolean;
  readonly log: Log;
}

async function applySource({ session, client, isNew, log }: Place, source: MigrationSource): Promise<void> {
  const migrations = await readMigrations(source.folder);
  const applied = await checkApplied(client, source.name, migrations);
  for (const { name, checksum } of migrations.filter((migration) => applied.get(migration.name) === null)) {
    await client.query(updateChecksum, [source.name, name, checksum]);
  }
  for (const migration of migrations) {
    if (applied.has(migration.name)) continue;
    await applyMigration({ session, client, isNew }, source.name, migration);
    log.info({ source: source.name, migration: migration.name }, "migration applied");
  }
}

const updateChecksum = sql`
  update schema_migrations
  set checksum = $3
  where source = $1 and name = $2 and checksum is null`;

/**
 * Throws, with the remedy, when the tables of the schema belong to another role, as they do after the first releases:
 * the program's role made them. Otherwise the first migration would fail with a message that names one table.
 */
async function assertOwnsTables(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ owner: string; me: string }>(selectForeignOwner, [schema]);
  const [foreign] = rows;
  if (foreign === undefined) return;
  const { owner, me } = foreign;
  throw new Error(
    `the tables of the schema ${schema} belong to the role ${owner}, and migrations run as ${me}: ` +
      `as a superuser, run "reassign owned by ${owner} to ${me}" in this database`,
  );
}

const selectForeignOwner = sql`
  select c.relowner::regrole::text as owner, quote_ident(current_user) as me
  from pg_class c
  where c.relnamespace = to_regnamespace(quote_ident($1))
    and c.relkind in ('r', 'p')
    and not pg_has_role(c.relowner, 'usage')
  limit 1`;
