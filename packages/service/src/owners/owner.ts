import type { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";

/** `unknown`: the owner never had the record, or has lost it. Only `deleted` is ever applied automatically. */
export type RecordState = "live" | "deleted" | "unknown";

/** A peer that owns records which this service references. */
export interface Owner {
  readonly name: string;
  /**
   * Returns the states of any number of records, at most 1,000 per call. The map contains every id.
   *
   * @throws InstallationChanged if the peer uses another database; ConnectError if it cannot be reached
   */
  statesOf(kind: RecordKind, ids: readonly string[]): Promise<ReadonlyMap<string, RecordState>>;
}

/**
 * Thrown when the peer uses a different database than the one whose records are referenced: its replies prove
 * nothing.
 */
export class InstallationChanged extends Error {
  constructor(peer: string, seen: string, known: string) {
    super(
      `${peer} answers from another database (installation ${seen} instead of ${known}): ` +
        "nothing that refers to its records is changed until that is resolved; see docs/runbooks/restore.md",
    );
    this.name = "InstallationChanged";
  }
}
