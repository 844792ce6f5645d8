import type { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import type { Owner } from "../owners/owner.ts";

/** Returns the next ids in order after `after` (empty for the first). Fewer than `limit` means the last page. */
export type Page<Row> = (after: string, limit: number) => Promise<readonly Row[]>;

/** A local reference that marks its record as deleted. */
export interface Tombstone {
  readonly id: string;
  /** Changes whenever the tombstone is set again. */
  readonly version: string;
}

/** A kind of local reference to records that another service owns. */
export interface ReferenceKind {
  /** Used in log lines and metrics, such as `workspace-environment`. */
  readonly name: string;
  readonly owner: Owner;
  readonly record: RecordKind;
  /** The ids in use here, assumed to be live. */
  readonly inUse: Page<string>;
  readonly tombstones: Page<Tombstone>;
  /** Deletes the references to a deleted record, as the event of its deletion does. Returns whether there were any. */
  readonly end: (id: string) => Promise<boolean>;
  /** Clears a tombstone and restores what can be restored with it. Returns false if it was set again or deleted. */
  readonly clear: (tombstone: Tombstone) => Promise<boolean>;
}
