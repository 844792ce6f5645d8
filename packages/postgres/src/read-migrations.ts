import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type pg from "pg";
import { sql } from "./sql-text.ts";

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
 * Returns the applied migrations of a source, those of a newer release included, with their checksums: null for a row of
 * an older release. Throws when a file differs from the one that was applied: its change would reach new databases only.
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
