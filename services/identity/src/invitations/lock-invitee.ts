import { fail, type OrganizationId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { selectIsMemberByEmail, selectRoleNames } from "../memberships/membership-sql.ts";
import { selectOrganizationForUpdate } from "../organizations/organization-sql.ts";
import { selectUser } from "../users/user-sql.ts";
import type { Invitee } from "./invitation-sql.ts";

/**
 * Locks an organization against other changes of its members, and requires the invitee to be none of them. An address
 * that belongs to no user, or to one elsewhere, passes alike: the reply must not reveal who is registered.
 *
 * @throws ORGANIZATION_NOT_FOUND, USER_NOT_FOUND, MEMBER_EXISTS.
 */
export async function lockInvitee(tx: Tx, organizationId: OrganizationId, invitee: Invitee): Promise<void> {
  if (!(await selectOrganizationForUpdate(tx, organizationId))) {
    throw fail(Reason.ORGANIZATION_NOT_FOUND);
  }
  if ("userId" in invitee && (await selectUser(tx, invitee.userId)) === undefined) {
    throw fail(Reason.USER_NOT_FOUND);
  }
  const isMember =
    "userId" in invitee
      ? (await selectRoleNames(tx, organizationId, invitee.userId)).length > 0
      : await selectIsMemberByEmail(tx, organizationId, invitee.email);
  if (isMember) {
    throw fail(Reason.MEMBER_EXISTS);
  }
}
