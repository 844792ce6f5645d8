import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { classifyFault, codeOf, DatabaseUnavailable } from "../database-errors.ts";
import { nameInSql, sql } from "../statement.ts";
import { type SessionOptions, withSession } from "./in-one-session.ts";
import type { Migration } from "./read-migrations.ts";

interface Place {
  readonly session: SessionOptions;
  /** A connection of that session's kind, which holds the lock of all migrations of the schema. */
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
 * - `-- from a snapshot: why` as a line between two parts. The first locks tables and creates triggers on them. The
 *   second runs in another transaction, after the first has committed; but it reads the state of the moment of the
 *   locks. So it may take long, while the triggers record all that changes meanwhile. After an interruption both run
 *   again.
 *
 * In a new schema, where no statement can disturb a program, all run in one transaction.
 *
 * @throws Error that names the migration
 */
export async function applyMigration(place: Place, source: string, migration: Migration): Promise<void> {
  const { client, isNew } = place;
  const { name, sql: text, checksum } = migration;
  const record = async (on: pg.Client) => void (await on.query(insertApplied, [source, name, checksum]));
  const [locking, reading] = text.split(SNAPSHOT);
  try {
    if (CONCURRENTLY.test(text) && !isNew) {
      for (const statement of statementsOf(text)) await runAgain(client, statement);
      await record(client);
    } else if (locking !== undefined && reading !== undefined && !isNew) {
      await applyFromSnapshot(place, { locking, reading, record });
    } else {
      const inTransaction = text.replaceAll(/\bindex concurrently\b/g, "index");
      await client.query(sql`begin isolation level read committed`);
      await client.query(inTransaction);
      await record(client);
      await client.query(sql`commit`);
    }
  } catch (error) {
    const fault = classifyFault(error);
    if (fault instanceof DatabaseUnavailable) throw fault;
    throw new Error(`migration ${source}/${name} failed`, { cause: error });
  }
}

const CONCURRENTLY = /^-- concurrently: \S/;
const SNAPSHOT = /^-- from a snapshot: \S.*$/m;

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

interface Parts {
  readonly locking: string;
  readonly reading: string;
  readonly record: (on: pg.Client) => Promise<void>;
}

/**
 * Applies the two parts. No writer is in the middle of a transaction when the snapshot is taken: the locks wait for all
 * of them.
 */
async function applyFromSnapshot({ session, client }: Place, { locking, reading, record }: Parts): Promise<void> {
  await withSession(session, async (reader) => {
    await repeatRefused(async () => {
      await client.query(sql`begin isolation level read committed`);
      try {
        await client.query(limitWait);
        await client.query(locking);
        await reader.query(sql`begin isolation level repeatable read`);
        await reader.query(sql`select`); // takes the snapshot
        await client.query(sql`commit`);
      } catch (error) {
        await client.query(sql`rollback`);
        throw error;
      }
    });
    await reader.query(reading);
    await record(reader);
    await reader.query(sql`commit`);
  });
}

// Writers wait behind a lock that waits; a statement of theirs may take 3 s in all.
const limitWait = sql`set local lock_timeout = '1s'`;

/** Repeats what Postgres refused because another transaction was in the way (40P01, 55P03), for at most a minute. */
async function repeatRefused(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!REFUSED.has(codeOf(error)) || tries === 40) throw error;
      await wait(500);
    }
  }
}

const REFUSED: ReadonlySet<string> = new Set(["40P01", "55P03"]);

const insertApplied = sql`
  insert into schema_migrations (source, name, checksum)
  values ($1, $2, $3)`;
