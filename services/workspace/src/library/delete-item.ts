import type { Caller } from "@cloud/access";
import { orThrow } from "@cloud/access/values";
import { assertHasTag, requiredTags } from "@cloud/service/records";
import type { Context } from "../context.ts";
import { deleteLinksOfResources } from "../links/sql.ts";
import { reportDeletedLinks } from "../links/unlink.ts";
import { requireItem } from "./get-item.ts";
import type { ItemType } from "./sql.ts";

/** Soft-deletes the item and unlinks it from its workspaces. */
export async function deleteItem(
  context: Context,
  caller: Caller,
  kind: ItemType,
  request: { readonly id: string; readonly etag: string },
) {
  const tags = requiredTags(context, request);
  const target = await requireItem(context, caller, kind, request.id);
  await context.db.transaction(async (tx) => {
    const item = orThrow(await kind.selectForUpdate(tx, target.id), kind.notFound);
    assertHasTag(item, tags);
    await kind.softDelete(tx, item.id);
    const links = await deleteLinksOfResources(tx, kind.name, [item.id]);
    const how = { kind: kind.name, actor: caller.userId, reason: "deleted" } as const;
    reportDeletedLinks(
      tx,
      links.map((link) => ({ ...link, ...how })),
    );
  });
}
