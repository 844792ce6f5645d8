import type { Caller } from "@cloud/access";
import { type OrganizationId, orThrow, parseId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetOrganizationRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import type { Context } from "../context.ts";
import { organizationToProto } from "../to-proto.ts";
import { selectOrganization } from "./sql.ts";

export async function getOrganization(context: Context, caller: Caller, request: GetOrganizationRequest) {
  const id = parseId<OrganizationId>(request.id, Reason.ORGANIZATION_NOT_FOUND);
  await caller.requireAccess(id, Reason.ORGANIZATION_NOT_FOUND);
  const row = orThrow(await selectOrganization(context.db, id), Reason.ORGANIZATION_NOT_FOUND);
  return { organization: organizationToProto(row) };
}
