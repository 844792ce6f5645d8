import { type Database, oneRow, type Reader, statement } from "@cloud/postgres";
import { missingMigrations, purgeTable } from "@cloud/postgres/migrations";
import type { Logger } from "@cloud/runtime/telemetry";
import type { Purge } from "../retention.ts";
import { type MigrationAccess, migrateAsOwner } from "../run-service.ts";
import { migrationsOf, type ServiceSchema } from "../service-config.ts";
import type { Place } from "./place.ts";
import type { CommandOptions } from "./read-command.ts";

interface Migrated extends Pick<Place, "print"> {
  readonly schema: ServiceSchema;
  readonly access: MigrationAccess;
  readonly log: Logger;
}

/** Applies the migrations that the schema lacks, as its owner, or lists them. Returns the exit code. */
export async function migrateNow(
  { schema, access: { ownerUrl, role }, log, print }: Migrated,
  { dryRun }: Pick<CommandOptions, "dryRun">,
): Promise<number> {
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

/** Deletes the rows that are older than the settings say, as the service does every five minutes, or counts them. */
export async function purge({ db, purges, print }: Place, { dryRun }: CommandOptions): Promise<number> {
  for (const one of purges) print(await (dryRun ? countOld : deleteOld)(db, one));
  return 0;
}

async function countOld(db: Reader, { table, days }: Purge): Promise<string> {
  const { count } = oneRow(await db.read(table.countOld, [days]));
  return `${table.name}: ${count} rows are older than ${days} days`;
}

async function deleteOld(db: Database, { table, days }: Purge): Promise<string> {
  const deleted = await purgeTable(db, table, { days, signal: new AbortController().signal });
  return `${table.name}: ${deleted} rows older than ${days} days were deleted`;
}

interface WrongCount {
  readonly list: string;
  readonly scope: string;
  readonly counted: string;
  readonly rows: string;
}

const wrongCounts = statement<WrongCount>`
  select list, scope, counted, rows
  from wrong_counts($1)`;

/**
 * Compares the counts of the lists with their rows (docs/adr/0020-counts-and-search-keys.md), while the service runs.
 * Returns the exit code: 1 if counts are wrong and not repaired.
 */
export async function checkCounts(
  { db, print }: Pick<Place, "print"> & { readonly db: Pick<Place["db"], "transaction"> },
  { repair }: Pick<CommandOptions, "repair">,
): Promise<number> {
  const { rows: wrong } = await db.transaction((tx) => tx.query(wrongCounts, [repair]));
  for (const { list, scope, counted, rows } of wrong)
    print(`${list} of ${scope}: counted ${counted}, there are ${rows}`);
  if (wrong.length === 0) print("all counts are right");
  else if (repair) print(`${wrong.length} corrected`);
  else print(`${wrong.length} are wrong: check-counts --repair`);
  return wrong.length === 0 || repair ? 0 : 1;
}
