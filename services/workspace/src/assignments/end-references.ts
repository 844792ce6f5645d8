import type { Tx } from "@cloud/postgres";
import type { Id } from "@cloud/rpc";
import { deleteLinksOfResource } from "./assignment-sql.ts";
import { type ReferenceKind, upsertReferenceTombstone } from "./reference-sql.ts";
import { tellEndedLinks } from "./tell-ended-links.ts";

/**
 * A team or an environment is gone: its workspace links end, and its tombstone keeps an assignment that is under way from
 * making another. Answers how many links ended.
 */
export async function endReferences(tx: Tx, kind: ReferenceKind, id: Id, actor: string): Promise<number> {
  await upsertReferenceTombstone(tx, kind, id);
  const workspaces = await deleteLinksOfResource(tx, kind, id);
  await tellEndedLinks(tx, workspaces, kind, id, actor, "deleted");
  return workspaces.length;
}
