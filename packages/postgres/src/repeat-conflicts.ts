import { setTimeout as wait } from "node:timers/promises";
import { codeOf, DatabaseUnavailable } from "./database-unavailable.ts";

const maxRetries = 3;

/**
 * Repeats what Postgres aborted for the sake of another (40001, 40P01): it had no effect. Who loses every time finds the
 * database busy, not at fault.
 */
export async function repeatConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (retries >= maxRetries) throw new DatabaseUnavailable(error, false);
      await wait(Math.random() * 20 * (retries + 1)); // rivals that start again together would collide again
    }
  }
}

function isConflict(error: unknown): boolean {
  for (let link = error; link; link = (link as Partial<Error>).cause) {
    const code = codeOf(link);
    if (code === "40001" || code === "40P01") return true;
  }
  return false;
}
