import { timeLimits } from "./time-limits.ts";

/**
 * What a session prints, how it reads texts, and what its statements see: a database or a role may be set otherwise.
 * `default_transaction_read_only` is not among them: such a server is left (postgres-client.ts).
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

/** Those of others; a statement has a limit of its own. */
const LIMITS = { idle_session_timeout: "0", lock_timeout: "0" };

/**
 * No parallel workers: those of a search that takes 25 ms alone took 10 to start, and a core from other requests. The memory
 * that 200,000 ids need in a hash table with room to spare: without it, each row would be compared with all of them.
 */
const PLANNER = { max_parallel_workers_per_gather: "0", work_mem: "8MB" };

type Settings = Readonly<Record<string, string>>;

/** Returns the settings of a session, apart from its limits for statements, each as Postgres shows it. */
export const sessionSettings = (schema: string): Settings => ({
  search_path: schema,
  ...MEANING,
  ...LIMITS,
  ...PLANNER,
});

/** Returns the same as the options of a connection. */
export function sessionOptions(schema: string): string {
  return Object.entries(sessionSettings(schema))
    .map(([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`)
    .join(" ");
}

/** Returns the settings of a session that a program relies on, and that it cannot send through a pooler. */
export function sessionDefaults(schema: string): Settings {
  return {
    search_path: schema,
    statement_timeout: `${timeLimits.statementMs}ms`,
    idle_in_transaction_session_timeout: `${timeLimits.idleTransactionMs}ms`,
    ...sessionSettings(schema),
  };
}

/** Returns whether a session that has another value of a setting than its default would do something else. */
export function isWrong(name: string, value: string, defaults: Settings): boolean {
  if (name === "statement_timeout" || name === "idle_in_transaction_session_timeout") return value === "0";
  return (name === "search_path" || name in MEANING) && name !== "timezone" && value !== defaults[name];
}
