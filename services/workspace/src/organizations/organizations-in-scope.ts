import type { OrganizationId } from "@cloud/rpc";
import type { Context } from "../context.ts";

/**
 * The organizations that a list covers: the one named, or all that identity says live at the time of the call. The
 * local tombstones come by event and would show a deleted organization's records until it arrives.
 */
export async function organizationsInScope(
  context: Context,
  scope: "all" | OrganizationId,
): Promise<readonly OrganizationId[]> {
  if (scope !== "all") {
    return [scope];
  }
  const { organizationIds } = await context.identity.listLiveOrganizationIds({});
  return organizationIds as OrganizationId[];
}
