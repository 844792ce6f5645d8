import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "@cloud/postgres";

/** Shorter than the second in which the gateway wants to hear from a service at all (gateway/src/readiness.ts). */
const LIMIT_MS = 800;

/** Resolves when the database answers soon. Who asks whether a service is ready cannot wait for a silent database. */
export async function checkDatabase(db: Sql): Promise<void> {
  const over = new AbortController();
  const late = delay(LIMIT_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error("the database did not answer soon");
  });
  try {
    await Promise.race([db.query("select 1"), late]);
  } finally {
    over.abort();
  }
}
