import type { Caller } from "@cloud/access";
import { orThrow, parseNameChanges } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { UpdateOrganizationRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import { assertHasTag, changedRow, requiredTags } from "@cloud/service/records";
import { requireNamedOrganization } from "@cloud/service/references";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { organizationToProto } from "../to-proto.ts";
import { selectOrganization, updateOrganizationFields } from "./sql.ts";

/** Updates the fields that are sent. A request without fields changes nothing, not even the time of the last update. */
export async function updateOrganization(context: Context, caller: Caller, request: UpdateOrganizationRequest) {
  const changes = parseNameChanges(request);
  const tags = requiredTags(context, request);
  const id = await requireNamedOrganization(caller, request.id);
  if (Object.keys(changes).length === 0) {
    const row = orThrow(await selectOrganization(context.db, id), Reason.ORGANIZATION_NOT_FOUND);
    assertHasTag(row, tags);
    return { organization: organizationToProto(row) };
  }
  return await context.db.transaction(async (tx) => {
    const row = changedRow(await updateOrganizationFields(tx, id, changes, tags), tags, Reason.ORGANIZATION_NOT_FOUND);
    const entry = { target: id, organizationId: id, metadata: { ...changes } };
    recordAuditEvent(tx, context, caller, { action: "organization.updated", ...entry });
    return { organization: organizationToProto(row) };
  });
}
