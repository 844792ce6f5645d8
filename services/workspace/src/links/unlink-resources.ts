import type { Id } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { deleteLinksOfResources } from "./assignment-sql.ts";
import { type ReferenceKind, upsertReferenceTombstones } from "./reference-sql.ts";
import { reportDeletedLinks } from "./report-deleted-links.ts";

/** A deleted team or environment, and the user who deleted it: empty when unknown. */
export interface DeletedResource {
  readonly id: Id;
  readonly actor: string;
}

/**
 * Unlinks deleted teams or environments from their workspaces. Their tombstones keep assignments in flight from
 * creating new links. Returns how many links were deleted.
 */
export async function unlinkResources(
  tx: Tx,
  kind: ReferenceKind,
  deleted: readonly DeletedResource[],
): Promise<number> {
  const actors = new Map<string, string>(deleted.map(({ id, actor }) => [id, actor]));
  const ids = deleted.map(({ id }) => id);
  await upsertReferenceTombstones(tx, kind, ids); // protects: reference-tombstones
  const links = await deleteLinksOfResources(tx, kind, ids);
  await reportDeletedLinks(
    tx,
    links.map((link) => ({ ...link, kind, actor: actors.get(link.resource_id) ?? "", reason: "deleted" })),
  );
  return links.length;
}
