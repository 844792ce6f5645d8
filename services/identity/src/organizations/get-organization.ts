import type { Caller } from "@cloud/access";
import { orThrow } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { GetOrganizationRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import { requireNamedOrganization } from "@cloud/service/references";
import type { Context } from "../context.ts";
import { organizationToProto } from "../to-proto.ts";
import { selectOrganization } from "./sql.ts";

export async function getOrganization(context: Context, caller: Caller, request: GetOrganizationRequest) {
  const id = await requireNamedOrganization(caller, request.id);
  const row = orThrow(await selectOrganization(context.db, id), Reason.ORGANIZATION_NOT_FOUND);
  return { organization: organizationToProto(row) };
}
