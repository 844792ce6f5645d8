import { type Database, type Log, oneRow, type Tx } from "@cloud/postgres";
import { inPurgingSession, missingMigrations, purgeTable } from "@cloud/postgres/migrations";
import type { Logger } from "@cloud/runtime/telemetry";
import type { Purge } from "../retention.ts";
import { type MigrationAccess, migrateAsOwner } from "../run-service.ts";
import { migrationsOf, type ServiceSchema } from "../service-config.ts";

export interface MigrateCommand {
  readonly schema: ServiceSchema;
  readonly access: MigrationAccess;
  readonly log: Logger;
  /** Only lists them. */
  readonly dryRun: boolean;
  readonly print: (line: string) => void;
}

/** Applies the migrations that the schema lacks, as its owner. Returns the exit code. */
export async function migrateNow({ schema, access, log, dryRun, print }: MigrateCommand): Promise<number> {
  const { ownerUrl, role } = access;
  const sources = migrationsOf(schema);
  const missing = await missingMigrations({ url: ownerUrl, schema: schema.name, sources, log });
  for (const migration of missing) print(migration);
  if (dryRun) {
    print(missing.length === 0 ? "the schema is up to date" : `${missing.length} would be applied`);
    return 0;
  }
  await migrateAsOwner(schema, { ownerUrl, role, log }); // it also grants rights
  print(missing.length === 0 ? "the schema was up to date" : `${missing.length} applied`);
  return 0;
}

export interface PurgeCommand {
  readonly db: Pick<Database, "url" | "schema">;
  readonly purges: readonly Purge[];
  readonly log: Log;
  /** Only counts. */
  readonly dryRun: boolean;
  readonly print: (line: string) => void;
}

/** Deletes the rows that are older than the settings say, as the service does every hour. Returns the exit code. */
export async function purge({ db: { url, schema }, purges, log, dryRun, print }: PurgeCommand): Promise<number> {
  const session = { url, schema, applicationName: `${schema} operator`, log };
  const act = dryRun ? countOld : deleteOld;
  const done = await inPurgingSession(session, async (db) => {
    for (const one of purges) print(await act(db, one));
    return true;
  });
  if (done === true) return 0;
  print("nothing was done: a replica of the service, or another operator, is purging now");
  return 1;
}

async function countOld(db: Pick<Tx, "query">, { table, days }: Purge): Promise<string> {
  const { count } = oneRow(await db.query(table.countOld, [days]));
  return `${table.name}: ${count} rows are older than ${days} days`;
}

async function deleteOld(db: Pick<Tx, "query">, { table, days }: Purge): Promise<string> {
  const deleted = await purgeTable(db, table, { days, signal: new AbortController().signal });
  return `${table.name}: ${deleted} rows older than ${days} days were deleted`;
}
