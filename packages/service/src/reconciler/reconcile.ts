import { type Cursor, type Differences, lookForDifferences } from "./look-for-differences.ts";
import type { ReferenceKind } from "./reference-kind.ts";

export interface Pass {
  /** Number of references to deleted records that were deleted. */
  readonly ended: number;
  /** Number of tombstones of live records that were cleared. */
  readonly cleared: number;
  /** Ids in use here that their owner does not have. They were left unchanged. */
  readonly unknown: readonly string[];
  /** Where the next pass continues; both parts empty when this one reached the end. */
  readonly cursor: Cursor;
}

export interface PassOptions {
  /** Where this pass begins. */
  readonly cursor: Cursor;
  /** Awaited between the two checks. */
  readonly grace: () => Promise<void>;
  /** Called before the grace period, which may take as long as an outage of NATS. */
  readonly onFound?: (found: Differences) => void;
}

/**
 * Runs one bounded pass over a kind of reference. It deletes references to records that the owner reports as deleted,
 * and clears tombstones of records that the owner reports as live, each only if the owner reports so twice with `grace`
 * between: an event may be in transit. Records that the owner does not have are reported and left unchanged, because it
 * may have lost them.
 *
 * @throws what `statesOf` throws: without a reply of the owner nothing is changed
 */
export async function reconcile(kind: ReferenceKind, { cursor, grace, onFound }: PassOptions): Promise<Pass> {
  const found = await lookForDifferences(kind, cursor);
  onFound?.(found);
  const { unknown, cursor: next } = found;
  if (found.deleted.length + found.live.length === 0) return { ended: 0, cleared: 0, unknown, cursor: next };
  await grace();
  const { deleted, live } = await confirm(kind, found);
  return { ended: await count(deleted, kind.end), cleared: await count(live, kind.clear), unknown, cursor: next };
}

async function confirm({ owner, record }: ReferenceKind, { deleted, live }: Differences) {
  const states = await owner.statesOf(record, [...deleted, ...live.map(({ id }) => id)]);
  return {
    deleted: deleted.filter((id) => states.get(id) === "deleted"),
    live: live.filter(({ id }) => states.get(id) === "live"),
  };
}

/** Uses one transaction for each, so that no lock is held for long. */
async function count<T>(items: readonly T[], act: (item: T) => Promise<boolean>): Promise<number> {
  let done = 0;
  for (const item of items) done += (await act(item)) ? 1 : 0;
  return done;
}
