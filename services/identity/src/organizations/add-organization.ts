import type { OrganizationId, UserId } from "@cloud/contract";
import { appendEvent } from "@cloud/messaging";
import type { Tx } from "@cloud/postgres";
import { OrganizationCreatedSchema } from "@cloud/proto/identity/v1/events_pb";
import { type Actor, recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { replaceRoles } from "../memberships/membership-sql.ts";
import type { RoleName } from "../memberships/role-rules.ts";
import { insertOrganization, type NewOrganization, type OrganizationRow } from "./organization-sql.ts";

/** Inserts an organization, of which its owner becomes a member with these roles, and records and publishes that. */
export async function addOrganization(
  tx: Tx,
  context: Pick<Context, "requestId">,
  actor: Actor,
  organization: NewOrganization,
  roles: readonly RoleName[] = ["Org Admin"],
): Promise<OrganizationRow> {
  const { id, owner } = organization;
  const row = await insertOrganization(tx, organization);
  if (owner !== null) {
    await replaceRoles(tx, id, owner, roles);
  }
  await recordCreation(tx, context, actor, { id, owner, roles });
  await appendEvent(tx, OrganizationCreatedSchema, { organizationId: id, owner: owner ?? "" });
  return row;
}

interface Creation {
  readonly id: OrganizationId;
  readonly owner: UserId | null;
  readonly roles: readonly RoleName[];
}

async function recordCreation(
  tx: Tx,
  context: Pick<Context, "requestId">,
  actor: Actor,
  { id: organizationId, owner, roles }: Creation,
): Promise<void> {
  const entry = { target: organizationId, organizationId, metadata: { owner } };
  await recordAuditEvent(tx, context, actor, { action: "organization.created", ...entry });
  if (owner !== null) {
    const metadata = { roleNames: [...roles] };
    await recordAuditEvent(tx, context, actor, { action: "member.added", target: owner, organizationId, metadata });
  }
}
