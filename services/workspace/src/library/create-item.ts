import {
  type Caller,
  type Id,
  newId,
  ownerFor,
  parseOrganizationId,
  parseTextParameter,
  parseVisibility,
} from "@cloud/contract";
import { together } from "@cloud/postgres";
import { lockOrganization } from "@cloud/service";
import type { Context } from "../context.ts";
import { requireOrganization } from "../organizations/require-organization.ts";
import { insertItem } from "./item-sql.ts";
import { itemToProto } from "./item-to-proto.ts";
import type { LibraryKind } from "./library-kind.ts";

interface CreateItemRequest {
  readonly organizationId: string;
  readonly name: string;
  readonly description: string;
  readonly visibility: string;
  readonly owner: string;
}

/** Creates an item. Every member may: every role holds View Workspace. */
export async function createItem(context: Context, caller: Caller, kind: LibraryKind, request: CreateItemRequest) {
  const organizationId = parseOrganizationId(request.organizationId);
  const visibility = parseVisibility(request.visibility, "private");
  const name = parseTextParameter("name", request.name);
  const description = parseTextParameter("description", request.description);
  await requireOrganization(context, caller, organizationId);
  const owner = ownerFor(caller, request.owner);

  const item = await context.db.withTransaction(async (tx) => {
    const [, created] = await together([
      lockOrganization(tx, caller, organizationId),
      insertItem(tx, kind, { id: newId<Id>(), organizationId, name, description, owner, visibility }),
    ]);
    return created;
  });
  return itemToProto(item);
}
