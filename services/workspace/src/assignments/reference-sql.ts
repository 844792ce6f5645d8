import { prepared, type Tx } from "@cloud/postgres";
import type { Id } from "@cloud/rpc";

/** The kinds of resource that other services own. */
export type ReferenceKind = "team" | "environment";

/**
 * Takes the reference unless it has its tombstone; the share lock keeps the tombstone away until the end of `tx`. The
 * row is made where there is none, so that there is something to lock before the first deletion is heard of.
 */
export async function lockLiveReferenceForShare(tx: Tx, kind: ReferenceKind, id: Id): Promise<boolean> {
  await tx.query("insert into resource_references (kind, id) values ($1, $2) on conflict do nothing", [kind, id]);
  const text = "select 1 from resource_references where kind = $1 and id = $2 and deleted_at is null for share";
  return (await tx.query(text, [kind, id])).rows.length === 1;
}

const upsertTombstone = prepared(
  "insert into resource_references (kind, id, deleted_at) values ($1, $2, now()) on conflict (kind, id) do update " +
    "set deleted_at = coalesce(resource_references.deleted_at, excluded.deleted_at)",
);

/** Sets the tombstone, inserting the row where there is none; the row stays locked until the end of `tx`. */
export async function upsertReferenceTombstone(tx: Tx, kind: ReferenceKind, id: Id): Promise<void> {
  await tx.query(upsertTombstone, [kind, id]);
}
