import type pg from "pg";
import { classifyFault, codeOf, DatabaseUnavailable } from "../database-errors.ts";
import { nameInSql, sql } from "../statement.ts";
import type { Migration } from "./read-migrations.ts";

interface Place {
  /** Holds the lock of all migrations of the schema. */
  readonly client: pg.Client;
  /** Whether no program uses the schema yet. */
  readonly isNew: boolean;
}

/**
 * Applies a migration and records it. The text decides how:
 *
 * - In a transaction, as a rule.
 * - `-- concurrently: why` as the first line: each statement by itself, outside a transaction, such as
 *   `create index concurrently if not exists`. After an interruption all run again.
 *
 * In a new schema, where no statement can disturb a program, all run in one transaction.
 *
 * @throws Error that names the migration
 */
export async function applyMigration({ client, isNew }: Place, source: string, migration: Migration): Promise<void> {
  const { name, sql: text, checksum } = migration;
  const record = () => client.query(insertApplied, [source, name, checksum]);
  try {
    if (CONCURRENTLY.test(text) && !isNew) {
      for (const statement of statementsOf(text)) await runAgain(client, statement);
      await record();
    } else {
      const inTransaction = text.replaceAll(/\bindex concurrently\b/g, "index");
      await client.query(sql`begin isolation level read committed`);
      await client.query(inTransaction);
      await record();
      await client.query(sql`commit`);
    }
  } catch (error) {
    const fault = codeOf(error) === DEADLOCK ? new DatabaseUnavailable(error, false) : classifyFault(error);
    if (fault instanceof DatabaseUnavailable) throw fault; // all is tried again
    throw new Error(`migration ${source}/${name} failed`, { cause: error });
  }
}

const CONCURRENTLY = /^-- concurrently: \S/;
const DEADLOCK = "40P01";

/** Splits at the ends of lines; such a migration contains no function bodies. */
const statementsOf = (text: string) => text.split(/;$/m).filter((statement) => statement.trim() !== "");

/** Runs a statement that may have been interrupted before. The index of an interrupted one exists, but is invalid. */
async function runAgain(client: pg.Client, statement: string): Promise<void> {
  const index = /^create (?:unique )?index concurrently if not exists (\w+)/m.exec(statement)?.[1];
  if (index !== undefined && (await client.query(selectInvalid, [index])).rowCount === 1) {
    await client.query(sql`drop index concurrently ${nameInSql(index)}`);
  }
  await client.query(statement);
}

const selectInvalid = sql`
  select
  from pg_index
  where indexrelid = to_regclass($1) and not indisvalid`;

const insertApplied = sql`
  insert into schema_migrations (source, name, checksum)
  values ($1, $2, $3)`;
