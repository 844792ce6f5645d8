import { type Caller, fail, type Id, parseId, requireMembership } from "@cloud/rpc";
import type { Context } from "../context.ts";
import type { LibraryKind } from "./library-kind.ts";
import { type ItemRow, selectItem } from "./library-sql.ts";

/** @throws the kind's `notFound` when the id is malformed, missing, deleted or in another organization. */
export async function findItem(context: Context, caller: Caller, kind: LibraryKind, id: string): Promise<ItemRow> {
  const item = assertItem(kind, await selectItem(context.db, kind, parseId<Id>(id, kind.notFound)));
  await requireMembership(caller, item.organization_id, kind.notFound);
  return item;
}

/** @throws the kind's `notFound`. */
export function assertItem(kind: LibraryKind, item: ItemRow | undefined): ItemRow {
  if (item === undefined) {
    throw fail(kind.notFound);
  }
  return item;
}
