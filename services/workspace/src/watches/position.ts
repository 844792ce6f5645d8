/**
 * The place of a line in the order of the logs: by the transaction that wrote it, then by id, which is the
 * order in which the transaction wrote its lines. All replicas have the same order, because it is stored.
 */
export interface Position {
  readonly xact: bigint;
  /** The id in lower case, in which texts have the order of uuids. */
  readonly id: string;
}

/** The position before every line. `after` accepts its id for all lines that the log has. */
export const BEGINNING: Position = { xact: 0n, id: "00000000-0000-0000-0000-000000000000" };

/** Returns whether `one` is behind `other`. */
export function isAfter(one: Position, other: Position): boolean {
  return one.xact > other.xact || (one.xact === other.xact && one.id > other.id);
}
