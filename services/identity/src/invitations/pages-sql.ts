import type { ListParameters } from "@cloud/access/lists";
import type { OrganizationId, UserId } from "@cloud/access/values";
import { type Reader, sql } from "@cloud/postgres";
import { type Page, selectPage } from "@cloud/postgres/lists";
import { liveCount } from "@cloud/service/records";
import { type InvitationRow, invitationColumns, isOwn, organizationIsLive } from "./sql.ts";

/** Returns a page of an organization's invitations, ended ones included. */
export function selectInvitationsOf(
  db: Reader,
  organizationId: OrganizationId,
  query: ListParameters,
): Promise<Page<InvitationRow>> {
  return selectPage<InvitationRow>(db, {
    columns: invitationColumns,
    from: sql`invitations`,
    where: sql`organization_id = $1`,
    params: [organizationId],
    count: liveCount(sql`list = 'invitations'`, sql`= $1`),
    searchColumns: [sql`email`],
    ...query,
  });
}

/** Returns a page of a user's own invitations to live organizations, ended ones included. */
export function selectOwnInvitations(db: Reader, userId: UserId, query: ListParameters): Promise<Page<InvitationRow>> {
  return selectPage<InvitationRow>(db, {
    columns: invitationColumns,
    from: sql`invitations`,
    where: sql`${isOwn} and ${organizationIsLive}`,
    params: [userId],
    searchColumns: [sql`email`],
    ...query,
  });
}
