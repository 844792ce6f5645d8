import type { RequiredTags } from "@cloud/access";
import type { OrganizationId, UserId } from "@cloud/access/values";
import { oneRow, type Reader, sql, statement, type Tx } from "@cloud/postgres";
import { hasTag, writeTime } from "@cloud/service/records";
import type { InvitationId } from "../ids.ts";
import type { RoleName } from "../memberships/rules.ts";

type InvitationStatus = "pending" | "accepted" | "declined" | "revoked" | "expired";

export interface InvitationRow {
  id: InvitationId;
  organization_id: OrganizationId;
  user_id: UserId | null;
  /** The address with ASCII letters in lower case; empty for an invitation by user id. */
  email: string;
  role_names: RoleName[];
  /** The user who sent the invitation; null for a service. */
  invited_by: UserId | null;
  status: InvitationStatus;
  expires_at: Date;
  created_at: Date;
  updated_at: Date;
  etag: string;
}

/**
 * The columns of `InvitationRow`. A pending invitation expires without a write to its row, so its status and its tag
 * are computed.
 */
export const invitationColumns = sql`
  id, organization_id, user_id, email, role_names, invited_by,
  case when status = 'pending' and expires_at <= now() then 'expired' else status end as status,
  expires_at, created_at, updated_at,
  case when status = 'pending' and expires_at <= now() then '"expired"' else etag end as etag`;

/** The condition that the organization is live. Its deletion hides its invitations; their rows remain. */
export const organizationIsLive = sql`
  exists (
    select 1
    from organizations o
    where o.id = invitations.organization_id and o.deleted_at is null
  )`;

/** The condition that the invitation is one of the user $1, by id or by email. */
export const isOwn = sql`
  (
    user_id = $1
    or user_id is null and email = (
      select email_key(u.email)
      from users u
      where u.id = $1 and u.deleted_at is null
    )
  )`;

/** The invited user or address. */
export type Invitee = { readonly userId: UserId } | { readonly email: string };

interface NewInvitation {
  readonly id: InvitationId;
  readonly organizationId: OrganizationId;
  readonly invitee: Invitee;
  readonly roles: readonly RoleName[];
  readonly invitedBy: UserId | null;
}

const invitationInsertion = statement<InvitationRow>`
  insert into invitations (id, organization_id, user_id, email, role_names, invited_by, expires_at)
  values ($1, $2, $3, email_key($4), $5, $6, now() + interval '14 days')
  returning ${invitationColumns}`;

/** Inserts a pending invitation. It expires after 14 days (contract, section 5). */
export async function insertInvitation(tx: Tx, invitation: NewInvitation): Promise<InvitationRow> {
  const { id, organizationId, invitee, roles, invitedBy } = invitation;
  const result = await tx.query(invitationInsertion, [id, organizationId, ...keysOf(invitee), roles, invitedBy]);
  return oneRow(result);
}

const selectById = statement<InvitationRow>`
  select ${invitationColumns}
  from invitations
  where id = $1 and ${organizationIsLive}`;

/** Returns the invitation to a live organization, without a lock. */
export async function selectInvitation(db: Reader, id: InvitationId): Promise<InvitationRow | undefined> {
  return (await db.read(selectById, [id])).rows[0];
}

const ownInvitation = statement<InvitationRow>`
  select ${invitationColumns}
  from invitations
  where ${isOwn} and id = $2 and ${organizationIsLive}`;

/** Returns the user's own invitation to a live organization, without a lock. */
export async function selectOwnInvitation(
  db: Reader,
  userId: UserId,
  id: InvitationId,
): Promise<InvitationRow | undefined> {
  return (await db.read(ownInvitation, [userId, id])).rows[0];
}

/** The circumstances of an invitation's end. */
export interface InvitationEnd {
  /** The user who accepted the invitation. */
  readonly userId?: UserId | null;
  /** The accepted entity tags of the invitation; any if absent. */
  readonly tags?: RequiredTags;
}

const endPending = statement<InvitationRow>`
  update invitations
  set status = $2, user_id = coalesce($3, user_id), updated_at = ${writeTime}
  where id = $1 and status = 'pending' and expires_at > now() and ${hasTag(4)}
  returning ${invitationColumns}`;

/**
 * Ends a pending invitation. Of several concurrent changes, the predicate lets one pass. Returns undefined if the
 * invitation is not pending, has expired, or has none of the tags.
 */
export async function updatePendingInvitation(
  tx: Tx,
  id: InvitationId,
  status: "accepted" | "declined" | "revoked",
  { userId = null, tags = null }: InvitationEnd = {},
): Promise<InvitationRow | undefined> {
  return (await tx.query(endPending, [id, status, userId, tags])).rows[0];
}

const expireOfOrganization = statement<InvitationRow>`
  update invitations
  set status = 'expired', updated_at = greatest(updated_at, expires_at)
  where organization_id = $1 and status = 'pending' and expires_at <= now()
  returning ${invitationColumns}`;

/** Updates the organization's pending invitations that are past their time to expired, and returns them. */
export async function updateExpiredInvitationsOf(tx: Tx, organizationId: OrganizationId): Promise<InvitationRow[]> {
  return (await tx.query(expireOfOrganization, [organizationId])).rows;
}

const expireNext = statement<InvitationRow>`
  update invitations
  set status = 'expired', updated_at = greatest(updated_at, expires_at)
  where id = any(array(
    select id
    from invitations
    where status = 'pending' and expires_at <= now()
    order by expires_at
    limit $1
    for update skip locked
  ))
  returning ${invitationColumns}`;

/**
 * Updates pending invitations of all organizations that are past their time to expired, at most `limit`, the first
 * expired first, and returns them. It skips invitations that another transaction has locked, because that one is ending
 * them.
 */
export async function updateExpiredInvitations(tx: Tx, limit: number): Promise<InvitationRow[]> {
  return (await tx.query(expireNext, [limit])).rows;
}

const revokeOfOrganization = statement<InvitationRow>`
  update invitations
  set status = 'revoked', updated_at = ${writeTime}
  where ${isOwn} and organization_id = $2 and status = 'pending' and expires_at > now()
  returning ${invitationColumns}`;

/** Revokes all pending invitations of a user to the organization, by id and by email, and returns them. */
export async function revokeInvitationsOf(
  tx: Tx,
  organizationId: OrganizationId,
  userId: UserId,
): Promise<InvitationRow[]> {
  const { rows } = await tx.query(revokeOfOrganization, [userId, organizationId]);
  return rows;
}

const pendingExists = statement`
  select 1
  from invitations
  where organization_id = $1 and status = 'pending' and (user_id = $2 or email <> '' and email = email_key($3))
  limit 1`;

/** Returns whether the organization has a pending invitation of the same user id or address. */
export async function selectPendingExists(
  db: Reader,
  organizationId: OrganizationId,
  invitee: Invitee,
): Promise<boolean> {
  return (await db.read(pendingExists, [organizationId, ...keysOf(invitee)])).rowCount === 1;
}

const countOfPendingInvitations = statement<{ count: number }>`
  select count(*)::integer as count
  from invitations
  where organization_id = $1 and status = 'pending'`;

/**
 * Counts the pending invitations of the organization, including any that expired since `updateExpiredInvitationsOf`.
 */
export async function countPendingInvitations(db: Reader, organizationId: OrganizationId): Promise<number> {
  return oneRow(await db.read(countOfPendingInvitations, [organizationId])).count;
}

const keysOf = (invitee: Invitee): [userId: UserId | null, email: string] =>
  "userId" in invitee ? [invitee.userId, ""] : [null, invitee.email];
