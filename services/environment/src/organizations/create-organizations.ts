import { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import type { OrganizationId } from "@cloud/rpc";
import { createClient, type Transport } from "@connectrpc/connect";
import type { Organizations } from "../context.ts";

/** Asks the identity service, at every call: a list must not show an organization deleted a moment ago. */
export function createOrganizations(identity: Transport): Organizations {
  const directory = createClient(DirectoryService, identity);
  const liveAmong = async (ids: readonly string[]) => {
    const { organizations } = await directory.batchGetOrganizations({ ids: [...ids] });
    return organizations.map(({ id }) => id as OrganizationId);
  };
  return {
    isLive: async (organizationId) => (await liveAmong([organizationId])).length === 1,
    liveAmong,
    listLiveIds: async () => {
      const { organizationIds } = await directory.listLiveOrganizationIds({});
      return organizationIds as OrganizationId[];
    },
  };
}
