import type { Caller } from "@cloud/access";
import { newId, type OrganizationId, parseTextParameter } from "@cloud/access/values";
import { appendEvent } from "@cloud/events";
import type { Tx } from "@cloud/postgres";
import { OrganizationCreatedSchema } from "@cloud/proto/identity/v1/events_pb";
import type { CreateOrganizationRequest } from "@cloud/proto/identity/v1/organization_service_pb";
import { createOnce } from "@cloud/service";
import { type Actor, recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import type { RoleName } from "../memberships/rules.ts";
import { replaceRoles } from "../memberships/sql.ts";
import { organizationToProto } from "../to-proto.ts";
import { resolveOwner } from "../users/resolve-owner.ts";
import { insertOrganization, type NewOrganization, type OrganizationRow } from "./sql.ts";

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

/** Inserts an organization, makes its owner a member with the roles, and records and publishes that. */
export async function addOrganization(
  tx: Tx,
  context: Pick<Context, "requestId">,
  actor: Actor,
  organization: NewOrganization,
  roles: readonly RoleName[] = ["Org Admin"],
): Promise<OrganizationRow> {
  const { id, owner } = organization;
  const row = await insertOrganization(tx, organization);
  const created = { action: "organization.created", target: id, organizationId: id, metadata: { owner } } as const;
  recordAuditEvent(tx, context, actor, created);
  if (owner !== null) {
    await replaceRoles(tx, id, owner, roles);
    const metadata = { roleNames: [...roles] };
    recordAuditEvent(tx, context, actor, {
      action: "member.added",
      target: owner,
      organizationId: id,
      metadata,
    });
  }
  appendEvent(tx, OrganizationCreatedSchema, { organizationId: id, owner: owner ?? "" });
  return row;
}
