import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import {
  type Caller,
  type Id,
  newId,
  ownerFor,
  parseOrganizationId,
  parseTextParameter,
  parseVisibility,
} from "@cloud/rpc";
import type { Context } from "../context.ts";
import { lockOrganization, requireOrganization } from "../organizations/require-organization.ts";
import { itemToProto } from "./item-to-proto.ts";
import type { LibraryKind } from "./library-kind.ts";
import { insertItem } from "./library-sql.ts";

interface CreateItemRequest {
  readonly organizationId: string;
  readonly name: string;
  readonly description: string;
  readonly visibility: string;
  readonly owner: string;
}

/** Every member may create one: View Workspace is what every role holds. */
export async function createItem(context: Context, caller: Caller, kind: LibraryKind, request: CreateItemRequest) {
  const organizationId = parseOrganizationId(request.organizationId);
  const visibility = parseVisibility(request.visibility, "private");
  const name = parseTextParameter("name", request.name);
  const description = parseTextParameter("description", request.description);
  await requireOrganization(context, caller, organizationId, Permission.VIEW_WORKSPACE);
  const owner = ownerFor(caller, request.owner);

  const item = await context.db.withTransaction(async (tx) => {
    await lockOrganization(tx, caller, organizationId, Permission.VIEW_WORKSPACE);
    return insertItem(tx, kind, { id: newId<Id>(), organizationId, name, description, owner, visibility });
  });
  return itemToProto(item);
}
