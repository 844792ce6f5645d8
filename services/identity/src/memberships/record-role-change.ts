import type { Caller } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import type { RoleChange } from "./require-remaining-admins.ts";

/** Appends the audit entry of roles given and taken: none if they are the same as before. */
export async function recordRoleChange(
  tx: Tx,
  context: Context,
  caller: Caller,
  { organizationId, userId: target, before, after }: RoleChange,
): Promise<void> {
  const given = after.filter((role) => !before.includes(role));
  const taken = before.filter((role) => !after.includes(role));
  if (before.length === 0) {
    const metadata = { roleNames: given };
    await recordAuditEvent(tx, context, caller, { action: "member.added", target, organizationId, metadata });
  } else if (given.length + taken.length > 0) {
    const metadata = { given, taken };
    await recordAuditEvent(tx, context, caller, { action: "member.roles_changed", target, organizationId, metadata });
  }
}
