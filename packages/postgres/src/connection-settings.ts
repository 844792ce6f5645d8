import type { ClientConfig } from "pg";
import type { ClientSettings } from "./postgres-client.ts";
import { typeParsers } from "./rows.ts";
import { nameInSql } from "./statement.ts";

/** Time limits of database operations, in milliseconds. docs/time-limits.md describes how they relate, and why. */
export const timeLimits = {
  /** The limit for opening a connection, and for getting a free one of the pool. */
  connectMs: 2000,
  /** The limit of a statement, waiting for locks included; enforced by the server. */
  statementMs: 3000,
  /**
   * The time that the client adds before it gives up on a statement, after 4 s: then the server does not respond, and
   * the connection is dropped.
   */
  silenceMs: 1000,
  /** The limit of an idle transaction; enforced by the server, so that an unreachable client holds no locks. */
  idleTransactionMs: 5000,
  /** The time for a server to confirm that a connection was closed. */
  goodbyeMs: 1000,
} as const;

/** A pooler in transaction mode between a program and Postgres: each transaction may get another session. */
export interface Pooler {
  /** The URL of Postgres itself, for migrations, whose lock needs one session, and for commands. */
  readonly directUrl: string;
  /** Whether it keeps the named statements of its clients: PgBouncer 1.21 and later, with `max_prepared_statements`. */
  readonly keepsStatements: boolean;
}

export interface ConnectionOptions {
  url: string;
  schema: string;
  applicationName: string;
  connectTimeoutMs: number;
  /** 0 for no limit. */
  statementTimeoutMs: number;
  /** Whether the URL names a pooler in transaction mode, which accepts no settings of a session. */
  pooled?: boolean | undefined;
  /** Whether the pooler keeps the named statements of its clients. */
  keepsStatements?: boolean | undefined;
}

/** Returns the settings of every connection of this package. Throws TypeError on a schema that would need quotes. */
export function connectionSettings(options: ConnectionOptions): ClientSettings {
  const { statementTimeoutMs } = options;
  return {
    connectionString: options.url,
    passwordFile: new URL(options.url).searchParams.get("passwordfile") ?? undefined,
    pooled: options.pooled === true,
    keepsStatements: options.keepsStatements ?? true,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs, // protects: connect-limit
    ...(options.pooled !== true && sessionSettings(options)),
    // The client's own limit is for a server that no longer responds at all; otherwise the server's expires first.
    ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + timeLimits.silenceMs }), // protects: pg-silence
    types: typeParsers,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
  };
}

function sessionSettings({ schema, statementTimeoutMs }: ConnectionOptions): ClientConfig {
  // `pg` sends no limit of 0, so that the role's own would hold, which is set where there is a pooler.
  const unlimited = statementTimeoutMs === 0 ? " -c statement_timeout=0" : "";
  return {
    options: `${sessionOptions(nameInSql(schema))}${unlimited}`,
    statement_timeout: statementTimeoutMs, // protects: statement-limit
    idle_in_transaction_session_timeout: timeLimits.idleTransactionMs,
  };
}

/**
 * The settings of what a session prints, how it reads texts, and what its statements see: a database or a role may be
 * set otherwise. `default_transaction_read_only` is not among them: such a server is left (postgres-client.ts).
 */
const MEANING = {
  array_nulls: "on",
  bytea_output: "hex",
  datestyle: "ISO, MDY",
  default_transaction_deferrable: "off",
  default_transaction_isolation: "read committed",
  extra_float_digits: "1",
  gin_fuzzy_search_limit: "0",
  intervalstyle: "postgres",
  standard_conforming_strings: "on",
  timezone: "UTC",
  transform_null_equals: "off",
};

/** No limits that others have set; a statement has a limit of its own. */
const LIMITS = { idle_session_timeout: "0", lock_timeout: "0" };

/**
 * No parallel workers: a search that takes 25 ms alone took 10 to start them, and a core from other requests. The
 * memory is what 200,000 ids need in a hash table with room to spare: without it, each row would be compared with all
 * of them.
 */
const PLANNER = { max_parallel_workers_per_gather: "0", work_mem: "8MB" };

type Settings = Readonly<Record<string, string>>;

/** Returns the settings of a session, apart from its limits for statements, each as Postgres shows it. */
export const settingsOfSession = (schema: string): Settings => ({
  search_path: schema,
  ...MEANING,
  ...LIMITS,
  ...PLANNER,
});

/** Returns these settings as the options of a connection. */
function sessionOptions(schema: string): string {
  return Object.entries(settingsOfSession(schema))
    .map(([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`)
    .join(" ");
}

/** Returns the settings of a session that a program relies on, and that it cannot send through a pooler. */
export function sessionDefaults(schema: string): Settings {
  return {
    search_path: schema,
    statement_timeout: `${timeLimits.statementMs}ms`,
    idle_in_transaction_session_timeout: `${timeLimits.idleTransactionMs}ms`,
    ...settingsOfSession(schema),
  };
}

/** Returns whether a session that has another value of a setting than its default would do something else. */
export function isWrong(name: string, value: string, defaults: Settings): boolean {
  if (name === "statement_timeout" || name === "idle_in_transaction_session_timeout") return value === "0";
  return (name === "search_path" || name in MEANING) && name !== "timezone" && value !== defaults[name];
}
