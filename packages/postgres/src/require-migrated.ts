import type pg from "pg";
import { codeOf } from "./database-unavailable.ts";
import { inOneSession } from "./in-one-session.ts";
import { checkApplied, type Migration, type MigrationSource, readMigrations } from "./read-migrations.ts";
import type { Log } from "./sql.ts";

export interface RequireMigratedOptions {
  /** Connects as the program's role, which only reads here. */
  readonly url: string;
  readonly schema: string;
  readonly sources: readonly MigrationSource[];
  /** For how long a server that is starting is waited for, in milliseconds; 30,000 if absent. */
  readonly waitMs?: number;
  readonly log: Log;
}

/**
 * Returns the migrations of this release that the schema lacks, as `<source>/<file>`; ignores those of a newer one.
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

/** A schema that was never migrated, or by a release that granted nothing, has no migrations that the role can see. */
async function readApplied(client: pg.Client, source: string, migrations: readonly Migration[]) {
  try {
    return await checkApplied(client, source, migrations);
  } catch (error) {
    if (NOT_MIGRATED.has(codeOf(error))) return new Map<string, string | null>();
    throw error;
  }
}
