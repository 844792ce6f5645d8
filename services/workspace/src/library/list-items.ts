import {
  type Caller,
  type ListRequest,
  parseListParameters,
  parseVisibilityFilter,
  requireListScope,
} from "@cloud/rpc";
import type { Context } from "../context.ts";
import { organizationsInScope } from "../organizations/organizations-in-scope.ts";
import { itemToProto } from "./item-to-proto.ts";
import type { LibraryKind } from "./library-kind.ts";
import { selectItemsOf } from "./library-pages-sql.ts";

interface ListItemsRequest extends ListRequest {
  readonly orgId: string;
  readonly visibility: readonly string[];
}

export async function listItems(context: Context, caller: Caller, kind: LibraryKind, request: ListItemsRequest) {
  const query = { ...parseListParameters(request), visibility: parseVisibilityFilter(request.visibility) };
  const scope = await requireListScope(caller, request.orgId);
  const organizationIds = await organizationsInScope(context, scope);
  const { totalCount, rows } = await selectItemsOf(context.db, kind, organizationIds, query);
  return { page: query.page, pageSize: query.pageSize, totalCount, items: rows.map(itemToProto) };
}
