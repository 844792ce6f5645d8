import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type pg from "pg";
import { codeOf } from "../database-errors.ts";
import { type Log, sql } from "../statement.ts";
import { inOneSession } from "./in-one-session.ts";

/** A folder of files `NNNN_name.sql`; the name distinguishes the folders of one schema. */
export interface MigrationSource {
  folder: string;
  name: string;
}

export interface Migration {
  /** The file's name. */
  name: string;
  sql: string;
  /** SHA-256 of the text, in hexadecimal. */
  checksum: string;
}

/** Reads the migrations of a folder, in order. Throws on a malformed name of a `.sql` file and a duplicate number. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).toSorted();
  const numbers = files.map((file) => {
    const number = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1];
    if (number === undefined) throw new Error(`a migration is named NNNN_name.sql: ${path.join(folder, file)}`);
    return number;
  });
  const twice = numbers.find((number, index) => numbers.indexOf(number) !== index);
  if (twice !== undefined) throw new Error(`two migrations have the number ${twice} in ${folder}`);
  return Promise.all(
    files.map(async (name) => {
      const sql = await readFile(path.join(folder, name), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/**
 * Returns the applied migrations of a source, also of a newer release, with their checksums: null for a row of an older
 * release. Throws when a file differs from the one that was applied: its change would reach new databases only.
 */
export async function checkApplied(
  client: pg.Client,
  source: string,
  migrations: readonly Migration[],
): Promise<Map<string, string | null>> {
  const { rows } = await client.query<{ name: string; checksum: string | null }>(selectApplied, [source]);
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  for (const { name, checksum } of migrations) {
    const kept = applied.get(name) ?? checksum;
    if (kept !== checksum) throw new Error(changedMessage(`${source}/${name}`, kept, checksum));
  }
  return applied;
}

const changedMessage = (file: string, applied: string, found: string) =>
  `migration ${file} was changed after it was applied (SHA-256 ${applied} then, ${found} now): ` +
  "restore the file, and make the change in a new migration";

const selectApplied = sql`
  select name, checksum
  from schema_migrations
  where source = $1`;

interface RequireMigratedOptions {
  /** Connects as the program's role, which only reads here. */
  readonly url: string;
  readonly schema: string;
  readonly sources: readonly MigrationSource[];
  /** Milliseconds to wait for a server that is starting; 30,000 if absent. */
  readonly waitMs?: number;
  readonly log: Log;
}

/**
 * Returns the migrations of this release that the schema lacks, as `<source>/<file>`; ignores migrations of a newer
 * one.
 *
 * @throws Error that names one that was changed; DatabaseUnavailable
 */
export async function missingMigrations({ sources, ...options }: RequireMigratedOptions): Promise<string[]> {
  const missing: string[] = [];
  await inOneSession({ ...options, applicationName: `check ${options.schema}` }, async (client) => {
    for (const { name: source, folder } of sources) {
      const migrations = await readMigrations(folder);
      const applied = await readApplied(client, source, migrations);
      missing.push(...migrations.filter(({ name }) => !applied.has(name)).map(({ name }) => `${source}/${name}`));
    }
  });
  return missing;
}

/**
 * Resolves if the schema has every migration of this release. Does not wait for the migrations.
 *
 * @throws Error that names the first one that is missing, or one that was changed
 */
export async function requireMigrated(options: RequireMigratedOptions): Promise<void> {
  const [first] = await missingMigrations(options);
  if (first !== undefined) throw new Error(olderMessage(options.schema, first));
}

const olderMessage = (schema: string, missing: string) =>
  `the schema ${schema} is older than this release: it lacks ${missing}. Migrate it first, as its owner: MIGRATE=only`;

// 42P01 there is no such table, 42501 the role may not read it, 3F000 there is no such schema (Postgres, Appendix A).
const NOT_MIGRATED: ReadonlySet<string> = new Set(["42P01", "42501", "3F000"]);

/**
 * Returns the applied migrations. A schema that was never migrated, or by a release that granted nothing, has none that
 * the role can see.
 */
async function readApplied(client: pg.Client, source: string, migrations: readonly Migration[]) {
  try {
    return await checkApplied(client, source, migrations);
  } catch (error) {
    if (NOT_MIGRATED.has(codeOf(error))) return new Map<string, string | null>();
    throw error;
  }
}
