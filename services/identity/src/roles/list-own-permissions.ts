import type { Caller } from "@cloud/access";
import { type OrganizationId, parseId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { ListOwnPermissionsRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import type { Context } from "../context.ts";
import { pageOf, parseShortListParameters } from "./rules.ts";
import { selectHeldKeys, selectKeys } from "./sql.ts";

/** Lists the keys that the calling user holds in the organization; a service holds all of them. */
export async function listOwnPermissions(context: Context, caller: Caller, request: ListOwnPermissionsRequest) {
  const query = parseShortListParameters(request);
  const organizationId = parseId<OrganizationId>(request.id, Reason.ORGANIZATION_NOT_FOUND);
  await caller.requireAccess(organizationId, Reason.ORGANIZATION_NOT_FOUND);
  const { userId } = caller;
  const held = userId === "" ? await selectKeys(context.db) : await selectHeldKeys(context.db, organizationId, userId);
  const { entries: keys, ...page } = pageOf(
    held.map((name) => ({ name, function: name })),
    query,
  );
  return { ...page, keys };
}
