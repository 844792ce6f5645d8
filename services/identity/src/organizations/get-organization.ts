import { type Caller, found, type OrganizationId, parseId } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetOrganizationRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import type { Context } from "../context.ts";
import { selectOrganization } from "./organization-sql.ts";
import { organizationToProto } from "./organization-to-proto.ts";

export async function getOrganization(context: Context, caller: Caller, request: GetOrganizationRequest) {
  const id = parseId<OrganizationId>(request.id, Reason.ORGANIZATION_NOT_FOUND);
  await caller.requireAccess(id, Reason.ORGANIZATION_NOT_FOUND);
  const row = found(await selectOrganization(context.db, id), Reason.ORGANIZATION_NOT_FOUND);
  return { organization: organizationToProto(row) };
}
