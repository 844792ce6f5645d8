import { type Caller, ownerFor } from "@cloud/access";
import { parseVisibility } from "@cloud/access/lists";
import { type Id, newId, parseOrganizationId, parseTextParameter } from "@cloud/access/values";
import { createOnce } from "@cloud/service";
import { lockOrganization } from "@cloud/service/references";
import type { Context } from "../context.ts";
import { createInOrganization } from "../organizations/ensure-organizations.ts";
import { itemToProto } from "../to-proto.ts";
import { type ItemType, insertItem } from "./sql.ts";

interface CreateItemRequest {
  readonly organizationId: string;
  readonly name: string;
  readonly description: string;
  readonly visibility: string;
  readonly owner: string;
}

/** Creates an item, and returns the `reply` with it. Every member may do so: every role holds View Workspace. */
export async function createItem<Reply extends object>(
  context: Context,
  caller: Caller,
  kind: ItemType,
  request: CreateItemRequest,
  reply: (item: ReturnType<typeof itemToProto>) => Reply,
): Promise<Reply> {
  const organizationId = parseOrganizationId(request.organizationId);
  const visibility = parseVisibility(request.visibility, "private");
  const name = parseTextParameter("name", request.name);
  const description = parseTextParameter("description", request.description);

  return await createInOrganization(context, caller, organizationId, async () => {
    const owner = ownerFor(caller, request.owner);
    return await createOnce(context, async (tx) => {
      await lockOrganization(tx, caller, organizationId);
      const item = { id: newId<Id>(), organizationId, name, description, owner, visibility };
      return reply(itemToProto(await insertItem(tx, kind, item)));
    });
  });
}
