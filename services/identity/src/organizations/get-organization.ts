import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetOrganizationRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import { type Caller, fail, type OrganizationId, parseId, requireMembership } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { organizationToProto } from "./organization-to-proto.ts";
import { selectLiveOrganization } from "./organizations-sql.ts";

export async function getOrganization({ db }: IdentityContext, request: GetOrganizationRequest, caller: Caller) {
  const id = parseId<OrganizationId>(request.id, Reason.ORGANIZATION_NOT_FOUND);
  await requireMembership(caller, id, Reason.ORGANIZATION_NOT_FOUND);
  const row = await selectLiveOrganization(db, id);
  if (row === undefined) {
    throw fail(Reason.ORGANIZATION_NOT_FOUND);
  }
  return { organization: organizationToProto(row) };
}
