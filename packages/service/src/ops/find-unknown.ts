import { type Effect, reverifyUnknown } from "@cloud/messaging";
import type { Database } from "@cloud/postgres";
import type { ReferenceKind } from "../reconciler/reference-kind.ts";
import { PAGE_SIZE } from "../reconciler/walk.ts";

/** A reference to a record that its owner does not have. */
export interface UnknownReference {
  /** The name of a ReferenceKind, or `parked-deletion`. */
  readonly kind: string;
  /** The id of the record, or of the parked message. */
  readonly id: string;
}

export const PARKED = "parked-deletion";

/** Checks all references with their owners. @throws InstallationChanged, ConnectError */
export async function findUnknown(
  db: Database,
  kinds: readonly ReferenceKind[],
  effects: readonly Effect[],
): Promise<UnknownReference[]> {
  const found: UnknownReference[] = [];
  for (const kind of kinds) {
    for (let after: string | undefined = ""; after !== undefined; ) {
      const ids: readonly string[] = await kind.inUse(after, PAGE_SIZE);
      const states = await kind.owner.statesOf(kind.record, ids);
      found.push(...ids.filter((id) => states.get(id) === "unknown").map((id) => ({ kind: kind.name, id })));
      after = ids.length < PAGE_SIZE ? undefined : ids.at(-1);
    }
  }
  const { unknown } = await reverifyUnknown(db, effects);
  return [...found, ...unknown.map((id) => ({ kind: PARKED, id }))];
}
