import { fail } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { CreateInvitationRequest } from "@cloud/proto/identity/v1/invitation_service_pb";
import type { AdminRoles, RoleName } from "../memberships/rules.ts";
import { parseEmail } from "../users/rules.ts";

/** The invitee of a request: the text of a user id, not yet parsed, or an email. */
type RequestedInvitee = { readonly userId: string } | { readonly email: string };

/** Parses the invitee. @throws INVALID_PARAMETER for neither or both, and for a malformed email. */
export function parseInvitee(request: Pick<CreateInvitationRequest, "userId" | "email">): RequestedInvitee {
  const { userId, email } = request;
  if (userId === "" && email === "") {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "user_id", accepts: "the id of a user unless an email is sent" });
  }
  if (userId !== "" && email !== "") {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "email", accepts: "empty when the id of a user is sent" });
  }
  return userId === "" ? { email: parseEmail(email) } : { userId };
}

/**
 * Requires the sender of an invitation to be an admin who could give its roles now: otherwise an admin who was removed
 * would still make members, up to a Provider Admin, for 14 days. Services always may.
 *
 * @throws INVITER_LOST_ROLE.
 */
export function assertInviterMayGive(roles: readonly RoleName[], inviter: AdminRoles | "service"): void {
  if (inviter === "service" || inviter.isProviderAdmin) {
    return;
  }
  if (!inviter.isOrgAdmin || roles.includes("Provider Admin")) {
    throw fail(Reason.INVITER_LOST_ROLE);
  }
}

/**
 * The most pending invitations of an organization. Its members page through them; no organization invites so many at
 * once.
 */
export const MAX_PENDING_INVITATIONS = 1_000;
