import type { Caller } from "@cloud/access";
import { parseVisibility } from "@cloud/access/lists";
import { parseNameChanges } from "@cloud/access/values";
import { changedRow, requiredTags } from "@cloud/service/records";
import type { Context } from "../context.ts";
import { itemToProto } from "../to-proto.ts";
import { requireItem } from "./get-item.ts";
import { type ItemType, updateItemFields } from "./sql.ts";

interface UpdateItemRequest {
  readonly id: string;
  readonly etag: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly visibility?: string | undefined;
}

/** Updates the fields that are sent. */
export async function updateItem(context: Context, caller: Caller, kind: ItemType, request: UpdateItemRequest) {
  const { visibility } = request;
  const tags = requiredTags(context, request);
  const changes = {
    ...parseNameChanges(request),
    visibility: visibility === undefined ? undefined : parseVisibility(visibility, "private"),
  };
  const item = await requireItem(context, caller, kind, request.id);
  const updated = await context.db.transaction((tx) => updateItemFields(tx, kind, item.id, changes, tags));
  return itemToProto(changedRow(updated, tags, kind.notFound));
}
