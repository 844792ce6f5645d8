import type pg from "pg";
import type { Migration } from "./read-migrations.ts";
import { sql } from "./sql-text.ts";

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
