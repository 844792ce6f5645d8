import { timeLimits } from "./time-limits.ts";

/**
 * No parallel workers: those of a search that takes 25 ms alone took 10 to start, and a core from other requests. The memory
 * that 200,000 ids need in a hash table with room to spare: without it, each row would be compared with all of them.
 */
const PLANNER = { max_parallel_workers_per_gather: "0", work_mem: "8MB" };

/** Returns PLANNER as the options of a connection. */
export const plannerOptions = (): string =>
  Object.entries(PLANNER)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");

/** Returns the settings of a session that a program relies on, and that it cannot send through a pooler. */
export function sessionDefaults(schema: string): Readonly<Record<string, string>> {
  return {
    search_path: schema,
    statement_timeout: `${timeLimits.statementMs}ms`,
    idle_in_transaction_session_timeout: `${timeLimits.idleTransactionMs}ms`,
    ...PLANNER,
  };
}
