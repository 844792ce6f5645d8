import type { Caller } from "@cloud/access";
import { orThrow } from "@cloud/access/values";
import { appendEvent } from "@cloud/events";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { OrganizationDeletedSchema } from "@cloud/proto/identity/v1/events_pb";
import type { DeleteOrganizationRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import { assertHasTag, requiredTags } from "@cloud/service/records";
import { requireNamedOrganization } from "@cloud/service/references";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { requireRemainingProviderAdmin } from "../memberships/role-changes.ts";
import { deleteMemberships, selectHasProviderAdmin } from "../memberships/sql.ts";
import { clearSelectionsOfOrganization } from "../selections/preferences-sql.ts";
import { deleteTeamsOf } from "./delete-teams-of-organization.ts";
import { selectOrganizationForUpdate, softDeleteOrganization } from "./sql.ts";

/** Deletes an organization with everything in it; on its event, the other services delete their records in it. */
export async function deleteOrganization(context: Context, caller: Caller, request: DeleteOrganizationRequest) {
  const tags = requiredTags(context, request);
  const id = await requireNamedOrganization(caller, request.id);
  await context.db.transaction(async (tx) => {
    assertHasTag(orThrow(await selectOrganizationForUpdate(tx, id), Reason.ORGANIZATION_NOT_FOUND), tags);
    if (await selectHasProviderAdmin(tx, id)) {
      await requireRemainingProviderAdmin(tx, id);
    }
    await softDeleteOrganization(tx, id);
    await deleteTeamsOf(tx, context, caller, id);
    await deleteMemberships(tx, id);
    await clearSelectionsOfOrganization(tx, id);
    const entry = { action: "organization.deleted", target: id, organizationId: id } as const;
    recordAuditEvent(tx, context, caller, entry);
    appendEvent(tx, OrganizationDeletedSchema, { organizationId: id, actor: caller.userId });
  });
  return {};
}
