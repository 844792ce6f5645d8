import { deleteParked, reverifyUnknown } from "@cloud/messaging";
import type { Database } from "@cloud/postgres";
import { findDifferences } from "../reconciler/reconcile.ts";
import type { Wiring } from "../service-parts.ts";

/** A reference to a record that its owner does not have. */
interface UnknownReference {
  /** The name of a ReferenceKind, or `parked-deletion`. */
  readonly kind: string;
  /** The id of the record, or of the parked message. */
  readonly id: string;
}

const PARKED = "parked-deletion";

export interface EndUnknownOptions {
  readonly db: Database;
  readonly wiring: Pick<Wiring, "kinds" | "effects">;
  /** Deletes only if exactly this many are found, as an earlier dry run has shown. Undefined: only lists. */
  readonly count: number | undefined;
  readonly print: (line: string) => void;
}

/**
 * Lists the references to records that their owners do not have, or deletes them as if the records had been deleted.
 * This is permanent: links are unlinked, and organizations are deleted with all their records. Returns the exit code.
 */
export async function endUnknown({ db, wiring, count, print }: EndUnknownOptions): Promise<number> {
  const found = await findUnknown(db, wiring);
  for (const { kind, id } of found) print(`${kind} ${id}`);
  if (found.length === 0) {
    print("nothing here refers to a record that its owner does not know");
    return 0;
  }
  if (count === undefined) {
    print(`${found.length} would be ended, for good: end-unknown --count ${found.length}`);
    return 0;
  }
  if (count !== found.length) {
    print(`nothing was ended: ${found.length} are unknown now, not ${count}; look at them with end-unknown --dry-run`);
    return 1;
  }
  for (const reference of found) await end(db, wiring, reference);
  print(`${found.length} ended`);
  return 0;
}

async function end(db: Database, { kinds }: Pick<Wiring, "kinds">, { kind, id }: UnknownReference): Promise<void> {
  if (kind === PARKED) await deleteParked(db, [id]);
  else await kinds.find(({ name }) => name === kind)?.end(id);
}

/** Checks all references with their owners. @throws InstallationChanged, ConnectError */
async function findUnknown(db: Database, { kinds, effects }: EndUnknownOptions["wiring"]): Promise<UnknownReference[]> {
  const found: UnknownReference[] = [];
  for (const kind of kinds) {
    const { unknown } = await findDifferences(kind);
    found.push(...unknown.map((id) => ({ kind: kind.name, id })));
  }
  const { unknown } = await reverifyUnknown(db, effects);
  return [...found, ...unknown.map((id) => ({ kind: PARKED, id }))];
}
