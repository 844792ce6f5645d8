import { type Caller, newId, type OrganizationId, parseTextParameter } from "@cloud/contract";
import type { CreateOrganizationRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import { createOnce } from "@cloud/service";
import type { Context } from "../context.ts";
import { resolveOwner } from "../users/resolve-owner.ts";
import { addOrganization } from "./add-organization.ts";
import { organizationToProto } from "./organization-to-proto.ts";

/** Creates an organization with its owner as Org Admin; on the event, the workspace service creates `My Workspace`. */
export async function createOrganization(context: Context, caller: Caller, request: CreateOrganizationRequest) {
  const name = parseTextParameter("name", request.name);
  const description = parseTextParameter("description", request.description);
  const owner = await resolveOwner(context, caller, request.owner);
  const organization = { id: newId<OrganizationId>(), name, description, owner };
  return await createOnce(context, async (tx) => {
    return { organization: organizationToProto(await addOrganization(tx, context, caller, organization)) };
  });
}
