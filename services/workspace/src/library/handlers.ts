import type { Caller } from "@cloud/access";
import type { Context } from "../context.ts";
import { itemToProto } from "../to-proto.ts";
import { createItem } from "./create-item.ts";
import { deleteItem } from "./delete-item.ts";
import { requireItem } from "./get-item.ts";
import { listItems } from "./list-items.ts";
import type { ItemType } from "./sql.ts";
import { updateItem } from "./update-item.ts";

type Item = ReturnType<typeof itemToProto>;

/** Creates the five handlers of a kind. Designs and views differ only in the field names of the replies. */
export function itemHandlers<One extends string, Many extends string>(kind: ItemType, one: One, many: Many) {
  const reply = (item: Item) => ({ [one]: item }) as Record<One, Item>;
  return {
    create: async (context: Context, caller: Caller, request: Parameters<typeof createItem>[3]) =>
      await createItem(context, caller, kind, request, reply),
    get: async (context: Context, caller: Caller, request: { readonly id: string }) =>
      reply(itemToProto(await requireItem(context, caller, kind, request.id))),
    list: async (context: Context, caller: Caller, request: Parameters<typeof listItems>[3]) => {
      const { items, ...page } = await listItems(context, caller, kind, request);
      return { ...page, [many]: items } as typeof page & Record<Many, typeof items>;
    },
    update: async (context: Context, caller: Caller, request: Parameters<typeof updateItem>[3]) =>
      reply(await updateItem(context, caller, kind, request)),
    delete: async (context: Context, caller: Caller, request: Parameters<typeof deleteItem>[3]) => {
      await deleteItem(context, caller, kind, request);
      return {};
    },
  };
}
