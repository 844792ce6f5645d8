import type { Caller } from "@cloud/access";
import { type ListRequest, parseListParameters, parseVisibilityFilter } from "@cloud/access/lists";
import { organizationsInScope } from "@cloud/service/references";
import type { Context } from "../context.ts";
import { itemToProto } from "../to-proto.ts";
import { selectItemsOf } from "./pages-sql.ts";
import type { ItemType } from "./sql.ts";

interface ListItemsRequest extends ListRequest {
  readonly orgId: string;
  readonly visibility: readonly string[];
}

export async function listItems(context: Context, caller: Caller, kind: ItemType, request: ListItemsRequest) {
  const query = { ...parseListParameters(request), visibility: parseVisibilityFilter(request.visibility) };
  const scope = await caller.requireListScope(request.orgId);
  const organizationIds = await organizationsInScope(context.identity, scope);
  const { rows, ...total } = await selectItemsOf(context.db, kind, organizationIds, query);
  return { page: query.page, pageSize: query.pageSize, ...total, items: rows.map(itemToProto) };
}
