import type { Sql } from "@cloud/postgres";
import type { HeavyReads } from "./create-heavy-reads.ts";

const limited = new WeakMap<Sql, HeavyReads>();

/** Lets the reads of calls through `db` that take long wait for their turn. */
export function limitHeavyReads(db: Sql, heavyReads: HeavyReads): void {
  limited.set(db, heavyReads);
}

/** Returns undefined if those of `db` have no limit. */
export function findHeavyReads(db: Sql): HeavyReads | undefined {
  return limited.get(db);
}
