import { type Caller, newId, type OrganizationId, parseTextParameter, type UserId } from "@cloud/contract";
import { appendEvent } from "@cloud/messaging";
import type { Tx } from "@cloud/postgres";
import { OrganizationCreatedSchema } from "@cloud/proto/identity/v1/events_pb";
import type { CreateOrganizationRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { replaceRoles } from "../memberships/membership-sql.ts";
import { resolveOwner } from "../users/resolve-owner.ts";
import { insertOrganization } from "./organization-sql.ts";
import { organizationToProto } from "./organization-to-proto.ts";

/** Creates an organization with its owner as Org Admin; on the event, the workspace service creates `My Workspace`. */
export async function createOrganization(context: Context, caller: Caller, request: CreateOrganizationRequest) {
  const name = parseTextParameter("name", request.name);
  const description = parseTextParameter("description", request.description);
  const owner = await resolveOwner(context, caller, request.owner);
  const id = newId<OrganizationId>();
  return await context.db.withTransaction(async (tx) => {
    const row = await insertOrganization(tx, { id, name, description, owner });
    if (owner !== null) {
      await replaceRoles(tx, id, owner, ["Org Admin"]);
    }
    await recordCreation(tx, context, caller, { id, owner });
    appendEvent(tx, OrganizationCreatedSchema, { organizationId: id, owner: owner ?? "" });
    return { organization: organizationToProto(row) };
  });
}

async function recordCreation(
  tx: Tx,
  context: Context,
  caller: Caller,
  { id: organizationId, owner }: { readonly id: OrganizationId; readonly owner: UserId | null },
): Promise<void> {
  const entry = { target: organizationId, organizationId, metadata: { owner } };
  await recordAuditEvent(tx, context, caller, { action: "organization.created", ...entry });
  if (owner !== null) {
    const metadata = { roleNames: ["Org Admin"] };
    await recordAuditEvent(tx, context, caller, { action: "member.added", target: owner, organizationId, metadata });
  }
}
