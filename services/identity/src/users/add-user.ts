import type { Tx } from "@cloud/postgres";
import { type Actor, recordAuditEvent } from "../audit/record-audit-event.ts";
import type { Context } from "../context.ts";
import { insertUser, type NewUser, type UserRow } from "./user-sql.ts";

/** Inserts a user and records that. Violates `users_live_email` if a live user has the email, in any case of ASCII letters. */
export async function addUser(
  tx: Tx,
  context: Pick<Context, "requestId">,
  actor: Actor,
  user: NewUser,
): Promise<UserRow> {
  const row = await insertUser(tx, user);
  await recordAuditEvent(tx, context, actor, { action: "user.created", target: user.id });
  return row;
}
