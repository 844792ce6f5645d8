import type { Caller } from "@cloud/access";
import { type Id, orThrow, parseId } from "@cloud/access/values";
import type { Context } from "../context.ts";
import type { ItemRow, ItemType } from "./sql.ts";

/**
 * Returns the item that a request names, to a caller with the RPC's permission, or to its owner if the RPC permits it.
 *
 * @throws the kind's `notFound` for a malformed or unknown id, a deleted item or one of another organization;
 * PERMISSION_DENIED.
 */
export async function requireItem(context: Context, caller: Caller, kind: ItemType, id: string): Promise<ItemRow> {
  const item = orThrow(await kind.select(context.db, parseId<Id>(id, kind.notFound)), kind.notFound);
  await caller.requireAccess(item.organization_id, kind.notFound, item.owner);
  return item;
}
