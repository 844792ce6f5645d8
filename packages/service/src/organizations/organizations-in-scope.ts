import type { OrganizationId } from "@cloud/contract";
import type { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import type { Client } from "@connectrpc/connect";

/**
 * Returns the organizations that a list covers: the one named, or all that identity reports as live at the time of the
 * call. The local tombstones come by event and would show a deleted organization's records until it arrives.
 */
export async function organizationsInScope(
  identity: Client<typeof DirectoryService>,
  scope: "all" | OrganizationId,
): Promise<readonly OrganizationId[]> {
  if (scope !== "all") return [scope];
  const { organizationIds } = await identity.listLiveOrganizationIds({});
  return organizationIds as OrganizationId[];
}
