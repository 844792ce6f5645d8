import type { UserId } from "@cloud/access/values";
import { oneRow, type Reader, sql, statement, type Tx } from "@cloud/postgres";
import type { BootstrapState } from "./rules.ts";

const bootstrapLock = statement`select pg_advisory_xact_lock(hashtextextended('identity: bootstrap', 0))`;

/** Locks bootstraps against each other until `tx` ends. */
export async function lockBootstrap(tx: Tx): Promise<void> {
  await tx.query(bootstrapLock);
}

const providerAdmins = sql`
  select m.user_id, o.name
  from memberships m
  join organizations o on o.id = m.organization_id and o.deleted_at is null
  join users u on u.id = m.user_id and u.deleted_at is null
  where m.role_name = 'Provider Admin'`;

const bootstrapState = statement<StateRow>`
  select u.id as user_id,
    array(select p.name from (${providerAdmins}) p where p.user_id = u.id order by p.name) as provider_admin_of,
    exists (${providerAdmins}) as has_provider_admin,
    t.user_id as token_user_id,
    t.revoked_at is not null as is_revoked
  from (select) nothing
  left join users u on email_key(u.email) = email_key($1) and u.deleted_at is null
  left join tokens t on t.digest = $2`;

/** Returns the state of the system; `digest` belongs to the token in the file, and is null without a file. */
export async function selectBootstrapState(db: Reader, email: string, digest: Buffer | null): Promise<BootstrapState> {
  const row = oneRow(await db.read(bootstrapState, [email, digest]));
  return {
    user: row.user_id === null ? undefined : { id: row.user_id, providerAdminOf: row.provider_admin_of },
    hasProviderAdmin: row.has_provider_admin,
    token: row.token_user_id === null ? undefined : { userId: row.token_user_id, isRevoked: row.is_revoked },
  };
}

interface StateRow extends Record<string, unknown> {
  readonly user_id: UserId | null;
  readonly provider_admin_of: string[];
  readonly has_provider_admin: boolean;
  readonly token_user_id: UserId | null;
  readonly is_revoked: boolean;
}
