import type { Caller } from "@cloud/rpc";
import { deleteLinksOfResource } from "../assignments/assignment-sql.ts";
import { tellEndedLinks } from "../assignments/tell-ended-links.ts";
import type { Context } from "../context.ts";
import { assertItem, findItem } from "./find-item.ts";
import type { LibraryKind } from "./library-kind.ts";
import { assertMayChange } from "./library-rules.ts";
import { selectItemForUpdate, softDeleteItem } from "./library-sql.ts";

/** Its workspace links end. */
export async function deleteItem(
  context: Context,
  caller: Caller,
  kind: LibraryKind,
  request: { readonly id: string },
) {
  const found = await findItem(context, caller, kind, request.id);
  assertMayChange(caller, kind, found);
  await context.db.withTransaction(async (tx) => {
    const item = assertItem(kind, await selectItemForUpdate(tx, kind, found.id));
    await softDeleteItem(tx, kind, item.id);
    const workspaces = await deleteLinksOfResource(tx, kind.name, item.id);
    await tellEndedLinks(tx, workspaces, kind.name, item.id, caller.userId, "deleted");
  });
}
