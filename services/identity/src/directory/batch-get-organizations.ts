import { type Caller, type OrganizationId, parseIds } from "@cloud/contract";
import type { BatchGetOrganizationsRequest } from "@cloud/proto/identity/v1/directory_service_pb";
import type { Context } from "../context.ts";
import { selectOrganizationsById } from "../organizations/organization-sql.ts";
import { organizationToProto } from "../organizations/organization-to-proto.ts";

/** Returns the live organizations among the ids; omits all others. @throws INVALID_PARAMETER above 1,000 ids. */
export async function batchGetOrganizations(context: Context, _caller: Caller, request: BatchGetOrganizationsRequest) {
  const rows = await selectOrganizationsById(context.db, parseIds<OrganizationId>(request.ids));
  return { organizations: rows.map(organizationToProto) };
}
