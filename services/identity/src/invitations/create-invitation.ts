import type { Caller } from "@cloud/access";
import { parseId, type UserId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { CreateInvitationRequest } from "@cloud/proto/identity/v1/invitation_service_pb";
import { requireNamedOrganization } from "@cloud/service/references";
import type { Context } from "../context.ts";
import { assertMayChangeRoles, parseRoleNames } from "../memberships/rules.ts";
import { invite } from "./invite.ts";
import { parseInvitee } from "./rules.ts";
import type { Invitee } from "./sql.ts";

/** Invites a user or an address with roles that the caller may give. */
export async function createInvitation(context: Context, caller: Caller, request: CreateInvitationRequest) {
  // 1. the form of the request
  const requested = parseInvitee(request);
  const roles = parseRoleNames(request.roleNames);
  // 2. the organization, and what the caller may do there
  const organizationId = await requireNamedOrganization(caller, request.organizationId);
  assertMayChangeRoles({ before: [], after: roles, callerIsProviderAdmin: caller.seesAllOrganizations });
  const invitee: Invitee =
    "userId" in requested ? { userId: parseId<UserId>(requested.userId, Reason.USER_NOT_FOUND) } : requested;
  // 3. the invitation
  return await invite(context, caller, { organizationId, invitee, roles });
}
