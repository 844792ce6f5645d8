import { appendEvent } from "@cloud/messaging";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { OrganizationDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import type { DeleteOrganizationRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import { type Caller, fail, type OrganizationId, parseId, requireMembership, requirePermission } from "@cloud/rpc";
import type { IdentityContext } from "../context.ts";
import { clearSelectionsOfOrganization } from "../preferences/preferences-sql.ts";
import { deleteMemberships } from "./memberships-sql.ts";
import { selectOrganizationForUpdate, tombstoneOrganization } from "./organizations-sql.ts";

/** With everything in it: the other services hear of it by one event and end what is theirs. */
export async function deleteOrganization({ db }: IdentityContext, request: DeleteOrganizationRequest, caller: Caller) {
  const id = parseId<OrganizationId>(request.id, Reason.ORGANIZATION_NOT_FOUND);
  await requireMembership(caller, id, Reason.ORGANIZATION_NOT_FOUND);
  requirePermission(caller, id, Permission.MANAGE_ORGANIZATION);
  await db.withTransaction(async (tx) => {
    if (!(await selectOrganizationForUpdate(tx, id))) {
      throw fail(Reason.ORGANIZATION_NOT_FOUND);
    }
    await tombstoneOrganization(tx, id);
    await deleteMemberships(tx, id);
    await clearSelectionsOfOrganization(tx, id);
    await appendEvent(tx, OrganizationDeletedSchema, { organizationId: id, actor: caller.userId });
  });
  return {};
}
