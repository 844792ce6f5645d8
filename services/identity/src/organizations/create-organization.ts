import { appendEvent } from "@cloud/messaging";
import { OrganizationCreatedSchema } from "@cloud/proto/identity/v1/events_pb";
import type { CreateOrganizationRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import { type Caller, newId, type OrganizationId, parseTextParameter } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { findOwner } from "../users/find-owner.ts";
import { replaceRoles } from "./memberships-sql.ts";
import { organizationToProto } from "./organization-to-proto.ts";
import { insertOrganization } from "./organizations-sql.ts";

/** Its owner becomes its Org Admin; the workspace service hears of it by event and gives it `My Workspace`. */
export async function createOrganization({ db }: IdentityContext, request: CreateOrganizationRequest, caller: Caller) {
  const name = parseTextParameter("name", request.name);
  const description = parseTextParameter("description", request.description);
  const owner = await findOwner(db, caller, request.owner);
  const id = newId<OrganizationId>();
  return await db.withTransaction(async (tx) => {
    const row = await insertOrganization(tx, { id, name, description, owner });
    if (owner !== null) {
      await replaceRoles(tx, id, owner, ["Org Admin"]);
    }
    await appendEvent(tx, OrganizationCreatedSchema, { organizationId: id, owner: owner ?? "" });
    return { organization: organizationToProto(row) };
  });
}
