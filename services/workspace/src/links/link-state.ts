/** Which links of a kind a workspace has. */
export interface LinkState {
  readonly count: bigint;
  /** The sum of the hashes of their ids, in decimal. */
  readonly hash: string;
  /** How many changes each slot has had, as `<slot>:<changes>,…`. */
  readonly position: string;
}

const NONE: LinkState = { count: 0n, hash: "0", position: "" };

/** Parses `<count> <hash> <position>`; null stands for no links. */
export function parseLinkState(text: string | null): LinkState {
  if (text === null) return NONE;
  const [count = "", hash = "", position = ""] = text.split(" ");
  return { count: BigInt(count), hash, position };
}

/** A position as the parameters of a statement. */
export interface Position {
  readonly slots: readonly string[];
  readonly changes: readonly string[];
}

/** Returns undefined for a text that is no position, such as that of a service that has no copy. */
export function parsePosition(text: string): Position | undefined {
  if (!/^-?\d{1,9}:\d{1,18}(,-?\d{1,9}:\d{1,18})*$/.test(text)) return undefined;
  const pairs = text.split(",").map((pair) => pair.split(":") as [string, string]);
  return { slots: pairs.map(([slot]) => slot), changes: pairs.map(([, changes]) => changes) };
}
