import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "@cloud/postgres";

/** Shorter than the second that the gateway waits for a service's readiness (gateway/src/readiness.ts). */
const LIMIT_MS = 800;

/** Resolves if the database replies soon, and accepts writes. A readiness probe must not block on an unresponsive database. */
export async function checkDatabase(db: Pick<Database, "assertWritable">): Promise<void> {
  const over = new AbortController();
  const late = delay(LIMIT_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error("the database did not reply in time");
  });
  try {
    await Promise.race([db.assertWritable(), late]);
  } finally {
    over.abort();
  }
}
