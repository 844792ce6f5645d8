import type pg from "pg";
import { isWrong, type Pooler, sessionDefaults } from "../connection-settings.ts";
import { type Log, sql } from "../statement.ts";
import { inOneSession } from "./in-one-session.ts";

interface PooledOptions {
  /** The URL of the pooler. */
  readonly url: string;
  readonly pooler: Pooler;
  readonly schema: string;
  readonly log: Log;
}

/**
 * Makes the settings that a program relies on the defaults of its role in its database, because a pooler passes none of
 * them on, and a role may change its own. Then checks that sessions of the pooler have them. Waits up to 30 s for each
 * server.
 *
 * @throws Error if a session of the pooler lacks them, and DatabaseUnavailable
 */
export async function prepareForPooler({ url, pooler, schema, log }: PooledOptions): Promise<void> {
  const session = { schema, applicationName: `${schema} pooler`, log };
  const defaults = sessionDefaults(schema);
  await inOneSession({ ...session, url: pooler.directUrl }, (client) => storeDefaults(client, defaults));
  await inOneSession({ ...session, url, pooled: true }, (client) => assertHas(client, defaults));
}

async function storeDefaults(client: pg.Client, defaults: Readonly<Record<string, string>>): Promise<void> {
  await client.query(sql`begin isolation level read committed`);
  await client.query(lockDefaults); // two that change them at once fail
  const { rows } = await client.query<{ setting: string }>(selectDefaults);
  const present = new Set(rows.map(({ setting }) => setting));
  for (const [name, value] of Object.entries(defaults)) {
    if (present.has(`${name}=${value}`)) continue;
    const quoted = await client.query<{ statement: string }>(alterRole, [name, value]);
    await client.query(quoted.rows[0]?.statement ?? "");
  }
  await client.query(sql`commit`);
}

const lockDefaults = sql`
  select pg_advisory_xact_lock(hashtextextended('session defaults of ' || current_user, 0))`;

const selectDefaults = sql`
  select unnest(setconfig) as setting
  from pg_db_role_setting
  where setrole = current_user::regrole
    and setdatabase = (
      select oid
      from pg_database
      where datname = current_database()
    )`;

const alterRole = sql`
  select format('alter role %I in database %I set %I = %L', current_user, current_database(), $1::text, $2::text)
    as statement`;

/**
 * Requires that a session has the defaults. Sessions from before they were set keep what they have until the pooler
 * closes them.
 */
async function assertHas(client: pg.Client, defaults: Readonly<Record<string, string>>): Promise<void> {
  const { rows } = await client.query<{ name: string; value: string }>(selectSettings, [Object.keys(defaults)]);
  const wrong = rows.filter(({ name, value }) => isWrong(name, value, defaults));
  if (wrong.length === 0) return;
  const found = wrong.map(({ name, value }) => `${name}=${value}`).join(", ");
  throw new Error(
    `a session of the pooler of DATABASE_URL lacks the defaults of its role: ${found}. ` +
      "Let the pooler reconnect (RECONNECT in PgBouncer's console), and its user be the one of DATABASE_DIRECT_URL",
  );
}

const selectSettings = sql`
  select name, current_setting(name) as value
  from unnest($1::text[]) as name`;
