import { oneRow, statement } from "@cloud/postgres";
import { missingMigrations, purgeTable } from "@cloud/postgres/migrations";
import type { Logger } from "@cloud/runtime/telemetry";
import { type MigrationAccess, migrateAsOwner } from "../run-service.ts";
import { migrationsOf, type ServiceSchema } from "../service-config.ts";
import type { Outcome, Output, Place } from "./place.ts";
import type { CommandOptions } from "./read-command.ts";

interface Migrated extends Output {
  readonly schema: ServiceSchema;
  readonly access: MigrationAccess;
  readonly log: Logger;
}

/** Applies the migrations that the schema lacks, as its owner, or lists them. */
export async function migrateNow(
  { schema, access: { ownerUrl, role }, log, print, step }: Migrated,
  { dryRun }: Pick<CommandOptions, "dryRun">,
): Promise<Outcome> {
  const sources = migrationsOf(schema);
  const missing = await missingMigrations({ url: ownerUrl, schema: schema.name, sources, log });
  for (const migration of missing) print(migration);
  step(`applying ${missing.join(", ")}`);
  if (!dryRun) await migrateAsOwner(schema, { ownerUrl, role, log }); // it also grants rights
  const isDone = missing.length === 0;
  if (dryRun) print(isDone ? "the schema is up to date" : `${missing.length} would be applied`);
  else print(isDone ? "the schema was up to date" : `${missing.length} applied`);
  return { code: 0, report: { migrations: missing } };
}

/** Deletes the rows that are older than the settings say, as the service does every five minutes, or counts them. */
export async function purge({ db, purges, print, step }: Place, { dryRun }: CommandOptions): Promise<Outcome> {
  const tables: object[] = [];
  for (const { table, days } of purges) {
    step(`${table.name}: counting`);
    const { count } = oneRow(await db.read(table.countOld, [days]));
    const onBatch = (deleted: number) => step(`${table.name}: ${deleted} of ${count} rows deleted`);
    const signal = new AbortController().signal;
    const rows = dryRun ? count : await purgeTable(db, table, { days, signal, onBatch });
    if (dryRun) print(`${table.name}: ${rows} rows are older than ${days} days`);
    else print(`${table.name}: ${rows} rows older than ${days} days were deleted`);
    tables.push({ table: table.name, days, rows });
  }
  return { code: 0, report: { tables } };
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
 * Compares the counts of the lists with their rows (docs/adr/0020-counts-and-search-keys.md), while the service runs,
 * and corrects them on request.
 */
export async function checkCounts(
  { db, print, step }: Output & { readonly db: Pick<Place["db"], "transaction"> },
  { repair, dryRun }: Pick<CommandOptions, "repair" | "dryRun">,
): Promise<Outcome> {
  const corrects = repair && !dryRun;
  step("counting all rows, about a second for each million");
  const { rows: wrong } = await db.transaction((tx) => tx.query(wrongCounts, [corrects]));
  for (const { list, scope, counted, rows } of wrong)
    print(`${list} of ${scope}: counted ${counted}, there are ${rows}`);
  if (wrong.length === 0) print("all counts are right");
  else if (corrects) print(`${wrong.length} corrected`);
  else print(`${wrong.length} are wrong: check-counts --repair`);
  const report = { wrong: wrong.map((one) => ({ ...one, counted: Number(one.counted), rows: Number(one.rows) })) };
  return {
    code: wrong.length === 0 || corrects ? 0 : 3,
    report: { ...report, corrected: corrects ? wrong.length : 0 },
  };
}
