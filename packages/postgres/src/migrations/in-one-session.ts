import { setTimeout as wait } from "node:timers/promises";
import { connectionSettings, settingsOfSession } from "../connection-settings.ts";
import { classifyConnectFault, classifyFault, codeOf, DatabaseUnavailable, isRefusal } from "../database-errors.ts";
import { PostgresClient } from "../postgres-client.ts";
import { type Log, sql } from "../statement.ts";

export interface SessionOptions {
  readonly url: string;
  readonly schema: string;
  readonly applicationName: string;
  /** Whether the URL names a pooler in transaction mode. */
  readonly pooled?: boolean;
  /** Milliseconds to wait for a server that is starting; 30,000 if absent. */
  readonly waitMs?: number | undefined;
  readonly log: Log;
}

const WAIT_MS = 30_000;

/**
 * Runs `work` in one session without a limit for its statements. Waits for a server that is starting: then `work` runs
 * again, from its beginning. Does not wait for one that refuses the connection, or whose certificate is not accepted.
 *
 * @throws DatabaseUnavailable, or the error of `work`
 */
export async function inOneSession(
  options: SessionOptions,
  work: (client: PostgresClient) => Promise<void>,
): Promise<void> {
  const { waitMs = WAIT_MS } = options;
  const end = performance.now() + waitMs;
  for (;;) {
    try {
      return await withSession(options, work);
    } catch (error) {
      const fault = classifyFault(error);
      if (!(fault instanceof DatabaseUnavailable) || isRefusal(fault.cause)) throw fault;
      if (performance.now() >= end) throw fault;
      options.log.info({ err: fault.cause, schema: options.schema }, "migrations wait for Postgres");
      await wait(250);
    }
  }
}

/**
 * Runs `work` in a session without a limit for its statements, which is closed afterwards.
 *
 * @throws Error that names the remedy, if there is a pooler in between that passes on no settings
 */
export async function withSession<T>(
  { url, schema, applicationName, pooled, log }: SessionOptions,
  work: (client: PostgresClient) => Promise<T>,
): Promise<T> {
  const limits = { connectTimeoutMs: 5000, statementTimeoutMs: 0 };
  const client = new PostgresClient(connectionSettings({ url, schema, applicationName, pooled, ...limits }));
  client.on("error", () => undefined); // the running statement rejects with it
  client.on("notice", ({ severity, message }) => {
    if (severity === "WARNING") log.warn({ schema }, message ?? "");
  });
  try {
    await client.connect().catch((error: unknown) => {
      throw isUnknownParameter(error) ? new Error(POOLER, { cause: error }) : classifyConnectFault(error);
    });
    client.assertWritable();
    if (pooled !== true) await assertIsDirect(client, schema);
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const POOLER =
  "the URL names a pooler, which passes on no settings of a session: set DATABASE_DIRECT_URL, and " +
  "MIGRATION_DATABASE_URL if it is used, to Postgres itself";

/** Returns whether a pooler refused a setting, as PgBouncer does by default with one that it cannot pass on. */
const isUnknownParameter = (error: unknown) =>
  codeOf(error) === "08P01" && String(error).includes("unsupported startup parameter");

/**
 * Requires that the session has the settings that were sent: a pooler may be set to ignore them. Removes the limit of
 * transactions, which Postgres has from 17 on.
 */
async function assertIsDirect(client: PostgresClient, schema: string): Promise<void> {
  const sent = settingsOfSession(schema);
  const { rows } = await client.query<{ name: string; value: string }>(beginSession, [Object.keys(sent)]);
  if (rows.some(({ name, value }) => value !== sent[name])) throw new Error(POOLER);
}

const beginSession = sql`
  select name, current_setting(name) as value
  from unnest($1::text[]) as name
  left join (
    select set_config(name, '0', false)
    from pg_settings
    where name = 'transaction_timeout'
  ) as unlimited on true`;
