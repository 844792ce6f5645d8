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
 * change of a log. Idempotent, and complete for the tables of new migrations. Privileges that are right already are not
 * touched, because every change makes all sessions read the catalog again.
 *
 * @throws Error when a table of the lists, or the role, does not exist
 */
export async function grantRights(client: pg.Client, schema: string, rights: ProgramRights): Promise<void> {
  const { role, appendOnly, readOnly } = rights;
  await requireRole(client, schema, role);
  const { rows: tables } = await client.query<Held>(selectHeld, [schema, role]);
  const unknown = [...appendOnly, ...readOnly].find((name) => !tables.some(({ table }) => table === name));
  if (unknown !== undefined) throw new Error(`the schema ${schema} has no table ${unknown}, whose rights are limited`);
  await client.query(sql`begin isolation level read committed`);
  await run(client, sql`grant usage on schema %1$I to %2$I`, schema, role);
  await run(client, sql`revoke create on schema %1$I from %2$I`, schema, role);
  for (const { table, held } of tables) {
    const wanted = privilegesOn(table, rights);
    if (held.join() === wanted.toSorted().join()) continue;
    await run(client, sql`revoke all on table %1$I.%3$I from %2$I`, schema, role, table);
    await run(client, sql`grant %4$s on table %1$I.%3$I to %2$I`, schema, role, table, wanted.join(", "));
  }
  await run(client, sql`grant usage, select on all sequences in schema %1$I to %2$I`, schema, role);
  await client.query(sql`commit`);
}

type Privilege = "SELECT" | "INSERT" | "UPDATE" | "DELETE";

function privilegesOn(table: string, { appendOnly, readOnly }: ProgramRights): Privilege[] {
  if (table === "schema_migrations" || readOnly.includes(table)) return ["SELECT"];
  if (appendOnly.includes(table)) return ["SELECT", "INSERT"];
  return ["SELECT", "INSERT", "UPDATE", "DELETE"];
}

async function requireRole(client: pg.Client, schema: string, role: string): Promise<void> {
  const { rows } = await client.query(selectRole, [role]);
  if (rows.length > 0) return;
  throw new Error(`the role ${role} does not exist: create it before the schema ${schema} is migrated`);
}

const selectRole = sql`
  select
  from pg_roles
  where rolname = $1`;

interface Held {
  readonly table: string;
  /** The privileges, in the order of the alphabet. */
  readonly held: readonly string[];
}

const selectHeld = sql`
  select c.relname as table,
    coalesce(array_agg(a.privilege_type order by a.privilege_type) filter (where a.grantee is not null), '{}') as held
  from pg_class c
  left join lateral aclexplode(c.relacl) a on a.grantee = to_regrole(quote_ident($2))
  where c.relnamespace = to_regnamespace(quote_ident($1)) and c.relkind in ('r', 'p', 'v', 'm')
  group by c.relname
  order by c.relname`;

/** Executes a statement in which Postgres itself fills in and quotes the names. */
async function run(client: pg.Client, statement: SqlText, ...values: string[]): Promise<void> {
  const quote = sql`select format($1, variadic $2::text[]) as statement`;
  const { rows } = await client.query<{ statement: string }>(quote, [statement, values]);
  await client.query(rows[0]?.statement ?? "");
}
