import type pg from "pg";
import { type SqlText, sql } from "../statement.ts";

/** The role of the program that works on a schema, and the tables in which it may not change every row. */
export interface ProgramRights {
  readonly role: string;
  /** Logs: select and insert only. */
  readonly appendOnly: readonly string[];
  /** Tables that only migrations write: select only. */
  readonly readOnly: readonly string[];
}

/**
 * Grants the program's role rights on the rows of the schema's tables, and revokes any others: no DDL, no TRUNCATE, no
 * change of a log. Idempotent, and complete for the tables of new migrations.
 *
 * @throws the error of Postgres when a table of the lists, or the role, does not exist
 */
export async function grantRights(client: pg.Client, schema: string, rights: ProgramRights): Promise<void> {
  const { role, appendOnly, readOnly } = rights;
  await client.query(sql`begin isolation level read committed`);
  await run(client, sql`grant usage on schema %1$I to %2$I`, schema, role);
  await run(client, sql`revoke create on schema %1$I from %2$I`, schema, role);
  await run(client, sql`revoke all on all tables in schema %1$I from %2$I`, schema, role);
  await run(client, sql`grant select, insert, update, delete on all tables in schema %1$I to %2$I`, schema, role);
  for (const table of appendOnly) {
    await run(client, sql`revoke update, delete on table %1$I.%3$I from %2$I`, schema, role, table);
  }
  for (const table of ["schema_migrations", ...readOnly]) {
    await run(client, sql`revoke insert, update, delete on table %1$I.%3$I from %2$I`, schema, role, table);
  }
  await run(client, sql`grant usage, select on all sequences in schema %1$I to %2$I`, schema, role);
  await client.query(sql`commit`);
}

/** Executes a statement in which Postgres itself fills in and quotes the names. */
async function run(client: pg.Client, statement: SqlText, ...values: string[]): Promise<void> {
  const quote = sql`select format($1, variadic $2::text[]) as statement`;
  const { rows } = await client.query<{ statement: string }>(quote, [statement, values]);
  await client.query(rows[0]?.statement ?? "");
}
