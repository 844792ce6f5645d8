import type { Caller } from "@cloud/access";
import type { ListOwnPermissionsRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import { requireNamedOrganization } from "@cloud/service/references";
import type { Context } from "../context.ts";
import { pageOf, parseShortListParameters } from "./rules.ts";
import { selectHeldKeys, selectKeys } from "./sql.ts";

/** Lists the keys that the calling user holds in the organization; a service holds all of them. */
export async function listOwnPermissions(context: Context, caller: Caller, request: ListOwnPermissionsRequest) {
  const query = parseShortListParameters(request);
  const organizationId = await requireNamedOrganization(caller, request.id);
  const { userId } = caller;
  const held = userId === "" ? await selectKeys(context.db) : await selectHeldKeys(context.db, organizationId, userId);
  const { entries: keys, ...page } = pageOf(
    held.map((name) => ({ name, function: name })),
    query,
  );
  return { ...page, keys };
}
