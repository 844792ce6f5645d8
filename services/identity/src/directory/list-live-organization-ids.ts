import type { ListLiveOrganizationIdsRequest } from "@cloud/proto/identity/v1/directory_service_pb";
import type { IdentityContext } from "../context.ts";
import { selectLiveOrganizationIds } from "../organizations/organizations-sql.ts";

export async function listLiveOrganizationIds({ db }: IdentityContext, _request: ListLiveOrganizationIdsRequest) {
  return { organizationIds: await selectLiveOrganizationIds(db) };
}
