import type { BatchGetOrganizationsRequest } from "@cloud/proto/identity/v1/directory_service_pb";
import type { IdentityContext } from "../context.ts";
import { organizationToProto } from "../organizations/organization-to-proto.ts";
import { selectLiveOrganizations } from "../organizations/organizations-sql.ts";
import { parseIds } from "./parse-ids.ts";

export async function batchGetOrganizations({ db }: IdentityContext, request: BatchGetOrganizationsRequest) {
  const rows = await selectLiveOrganizations(db, parseIds(request.ids));
  return { organizations: rows.map(organizationToProto) };
}
