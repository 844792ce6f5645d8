import type { ReferenceKind, Tombstone } from "./reference-kind.ts";
import { walk } from "./walk.ts";

/** Where the next pass continues, per table; empty for the beginning. */
export interface Cursor {
  readonly inUse: string;
  readonly tombstones: string;
}

export const fromTheBeginning: Cursor = { inUse: "", tombstones: "" };

/** Differences between local references and their owner. */
export interface Differences {
  /** In use here, deleted by the owner. */
  readonly deleted: readonly string[];
  /** In use here, unknown to the owner: reported, never changed. */
  readonly unknown: readonly string[];
  /** Tombstones here, live for the owner. */
  readonly live: readonly Tombstone[];
  readonly cursor: Cursor;
}

/** The most differences of each kind that one pass acts on; the next pass continues with the rest. */
const MAX_DIFFERENCES = 1_000;

/** Compares references with their owner, starting at the cursor. Changes nothing. @throws what `statesOf` throws */
export async function lookForDifferences(
  { owner, record, inUse, tombstones }: ReferenceKind,
  cursor: Cursor,
): Promise<Differences> {
  const deleted: string[] = [];
  const unknown: string[] = [];
  const live: Tombstone[] = [];
  const next = {
    inUse: await walk(inUse, cursor.inUse, async (ids) => {
      const states = await owner.statesOf(record, ids);
      deleted.push(...ids.filter((id) => states.get(id) === "deleted"));
      unknown.push(...ids.filter((id) => states.get(id) === "unknown"));
      return deleted.length < MAX_DIFFERENCES;
    }),
    tombstones: await walk(tombstones, cursor.tombstones, async (rows) => {
      const states = await owner.statesOf(
        record,
        rows.map(({ id }) => id),
      );
      live.push(...rows.filter(({ id }) => states.get(id) === "live"));
      return live.length < MAX_DIFFERENCES;
    }),
  };
  return { deleted, unknown, live, cursor: next };
}
