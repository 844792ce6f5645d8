import type { Caller } from "@cloud/contract";
import type { ListLiveOrganizationIdsRequest } from "@cloud/proto/identity/v1/directory_service_pb";
import type { Context } from "../context.ts";
import { selectLiveOrganizationIds } from "../organizations/organization-sql.ts";

export async function listLiveOrganizationIds(
  context: Context,
  _caller: Caller,
  _request: ListLiveOrganizationIdsRequest,
) {
  return { organizationIds: await selectLiveOrganizationIds(context.db) };
}
