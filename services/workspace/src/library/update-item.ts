import { type Caller, parseTextParameter, parseVisibility } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { assertItem, findItem } from "./find-item.ts";
import { itemToProto } from "./item-to-proto.ts";
import type { LibraryKind } from "./library-kind.ts";
import { assertMayChange } from "./library-rules.ts";
import { updateItemFields } from "./library-sql.ts";

interface UpdateItemRequest {
  readonly id: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly visibility?: string | undefined;
}

/** Only the fields sent change. */
export async function updateItem(context: Context, caller: Caller, kind: LibraryKind, request: UpdateItemRequest) {
  const { name, description, visibility } = request;
  const changes = {
    name: name === undefined ? undefined : parseTextParameter("name", name),
    description: description === undefined ? undefined : parseTextParameter("description", description),
    visibility: visibility === undefined ? undefined : parseVisibility(visibility, "private"),
  };
  const item = await findItem(context, caller, kind, request.id);
  assertMayChange(caller, kind, item);
  const updated = await context.db.withTransaction((tx) => updateItemFields(tx, kind, item.id, changes));
  return itemToProto(assertItem(kind, updated));
}
