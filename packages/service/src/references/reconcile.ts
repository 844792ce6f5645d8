import type { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import type { RecordAuthority } from "./owner.ts";
import type { Tombstone } from "./references-sql.ts";

/** A kind of local reference to records that another service owns. */
export interface ReferenceSet {
  /** Used in log lines and metrics, such as `workspace-environment`. */
  readonly name: string;
  readonly owner: RecordAuthority;
  readonly record: RecordKind;
  /** The ids in use here, assumed to be live. */
  readonly inUse: Page<string>;
  readonly tombstones: Page<Tombstone>;
  /** Deletes the references to a deleted record, as the event of its deletion does. Returns whether there were any. */
  readonly unlink: (id: string) => Promise<boolean>;
  /** Clears a tombstone and restores what can be restored with it. Returns false if it was set again or deleted. */
  readonly clear: (tombstone: Tombstone) => Promise<boolean>;
}

/** Returns the next ids in order after `after` (empty for the first). Fewer than `limit` means the last page. */
export type Page<Row> = (after: string, limit: number) => Promise<readonly Row[]>;

/** Differences between local references and their owner. */
export interface Differences {
  /** The ids in use here that the owner has deleted. */
  readonly deleted: readonly string[];
  /** The ids in use here that are unknown to the owner: reported, never changed. */
  readonly unknown: readonly string[];
  /** The tombstones here whose records are live for the owner. */
  readonly live: readonly Tombstone[];
}

interface ReconcileOptions {
  /** Awaited between the two checks. */
  readonly grace: () => Promise<void>;
  /** Called before the grace period, which may take as long as an outage of NATS. */
  readonly onFound?: (found: Differences) => void;
}

export interface ReconcileResult {
  /** Number of references to deleted records that were deleted. */
  readonly ended: number;
  /** Number of tombstones of live records that were cleared. */
  readonly cleared: number;
  /** Ids in use here that their owner does not have. They were left unchanged. */
  readonly unknown: readonly string[];
}

/**
 * Runs one pass over a kind of reference. It deletes references to records that the owner reports as deleted,
 * and clears tombstones of records that the owner reports as live, each only if the owner reports so twice with `grace`
 * between: an event may be in transit. Records that the owner does not have are reported and left unchanged, because it
 * may have lost them.
 *
 * @throws the errors of `statesOf`: without a reply of the owner nothing is changed
 */
export async function reconcile(kind: ReferenceSet, { grace, onFound }: ReconcileOptions): Promise<ReconcileResult> {
  const found = await findDifferences(kind);
  onFound?.(found);
  const { unknown } = found;
  if (found.deleted.length + found.live.length === 0) return { ended: 0, cleared: 0, unknown };
  await grace();
  const { deleted, live } = await confirm(kind, found); // protects: repairs
  return { ended: await count(deleted, kind.unlink), cleared: await count(live, kind.clear), unknown };
}

/** The most differences of each kind that one pass acts on; the next pass finds the rest. */
const MAX_DIFFERENCES = 1_000;

/** Compares all references with their owner, and changes nothing. @throws the errors of `statesOf` */
export async function findDifferences(kind: ReferenceSet): Promise<Differences> {
  const { owner, record, inUse, tombstones } = kind;
  const deleted: string[] = [];
  const unknown: string[] = [];
  const live: Tombstone[] = [];
  for await (const ids of pagesOf(inUse)) {
    const states = await owner.statesOf(record, ids);
    deleted.push(...ids.filter((id) => states.get(id) === "deleted"));
    unknown.push(...ids.filter((id) => states.get(id) === "unknown"));
  }
  for await (const rows of pagesOf(tombstones)) {
    const states = await owner.statesOf(
      record,
      rows.map(({ id }) => id),
    );
    live.push(...rows.filter(({ id }) => states.get(id) === "live")); // protects: cleared-tombstones
  }
  return { deleted, unknown, live };
}

async function* pagesOf<Row extends string | { readonly id: string }>(page: Page<Row>) {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const rows: readonly Row[] = await page(after, PAGE_SIZE);
    if (rows.length > 0) yield rows;
    const last = rows.length < PAGE_SIZE ? undefined : rows.at(-1);
    after = typeof last === "object" ? last.id : last;
  }
}

/** Ids in a call: half of what an owner accepts. 100 pages take an owner about half a second. */
const PAGE_SIZE = 500;

async function confirm({ owner, record }: ReferenceSet, found: Differences) {
  const deleted = found.deleted.slice(0, MAX_DIFFERENCES);
  const live = found.live.slice(0, MAX_DIFFERENCES);
  const states = await owner.statesOf(record, [...deleted, ...live.map(({ id }) => id)]);
  return {
    deleted: deleted.filter((id) => states.get(id) === "deleted"),
    live: live.filter(({ id }) => states.get(id) === "live"),
  };
}

/** Runs `act` for each item, in a transaction each, so that no lock is held for long. Returns how many it changed. */
async function count<T>(items: readonly T[], act: (item: T) => Promise<boolean>): Promise<number> {
  let done = 0;
  for (const item of items) done += (await act(item)) ? 1 : 0;
  return done;
}
