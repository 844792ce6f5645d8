import { setTimeout as wait } from "node:timers/promises";
import { causesOf } from "@cloud/telemetry";
import { codeOf, DatabaseUnavailable } from "./database-unavailable.ts";

const maxRetries = 3;

/**
 * Repeats work that Postgres aborted in favour of another transaction (40001, 40P01): it had no effect. Throws
 * DatabaseUnavailable after 3 repetitions: the database is too busy.
 */
export async function repeatConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (retries >= maxRetries) throw new DatabaseUnavailable(error, false);
      await wait(Math.random() * 20 * (retries + 1)); // rivals that restart at the same time would collide again
    }
  }
}

function isConflict(error: unknown): boolean {
  return causesOf(error).some((cause) => CONFLICTS.has(codeOf(cause)));
}

const CONFLICTS = new Set(["40001", "40P01"]);
