import type pg from "pg";
import { sql } from "./sql-text.ts";

/**
 * Throws, with the remedy, when the tables of the schema belong to another role, as they do after the first releases: the
 * program's role made them. Otherwise the first migration would fail with a message that names one table.
 */
export async function assertOwnsTables(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ owner: string; me: string }>(selectForeignOwner, [schema]);
  const [foreign] = rows;
  if (foreign === undefined) return;
  const { owner, me } = foreign;
  throw new Error(
    `the tables of the schema ${schema} belong to the role ${owner}, and migrations run as ${me}: ` +
      `as a superuser, run "reassign owned by ${owner} to ${me}" in this database`,
  );
}

const selectForeignOwner = sql`
  select c.relowner::regrole::text as owner, quote_ident(current_user) as me
  from pg_class c
  where c.relnamespace = to_regnamespace(quote_ident($1))
    and c.relkind in ('r', 'p')
    and not pg_has_role(c.relowner, 'usage')
  limit 1`;
