import { outdated, refuse, refuseUser } from "./refusals.ts";
import type { SurfaceExample } from "./surface-example.ts";

const invited = { organizationId: "$organization", userId: "$outsider", roleNames: ["Team Admin", "User"] };

export const invitations: Readonly<Record<string, SurfaceExample>> = {
  "identity.v1.InvitationService/CreateInvitation": {
    given: ["organization", "invitation"],
    succeeds: invited,
    fails: [
      refuse("INVALID_PARAMETER", { ...invited, email: "$email" }),
      refuse("PERMISSION_DENIED", { ...invited, roleNames: ["Provider Admin"] }),
      refuse("ORGANIZATION_NOT_FOUND", { ...invited, organizationId: "$second" }),
      refuse("USER_NOT_FOUND", { ...invited, userId: "$nowhere" }),
      refuse("MEMBER_EXISTS", { ...invited, userId: "$orgAdmin" }),
      refuse("INVITATION_EXISTS", { ...invited, userId: "$teamAdmin" }),
    ],
  },
  "identity.v1.InvitationService/AddMember": {
    given: ["organization", "invitation"],
    succeeds: invited,
    fails: [
      refuse("INVALID_PARAMETER", { ...invited, roleNames: ["Guest"] }),
      refuse("PERMISSION_DENIED", { ...invited, roleNames: ["Provider Admin"] }),
      refuse("ORGANIZATION_NOT_FOUND", { ...invited, organizationId: "$second" }),
      refuse("USER_NOT_FOUND", { ...invited, userId: "$nowhere" }),
      refuse("MEMBER_EXISTS", { ...invited, userId: "$orgAdmin" }),
      refuse("INVITATION_EXISTS", { ...invited, userId: "$teamAdmin" }),
    ],
  },
  "identity.v1.InvitationService/GetInvitation": {
    given: ["organization", "invitation"],
    succeeds: { organizationId: "$organization", id: "$invitation" },
    fails: [
      refuse("ORGANIZATION_NOT_FOUND", { organizationId: "$second", id: "$invitation" }),
      refuse("INVITATION_NOT_FOUND", { organizationId: "$organization", id: "$nowhere" }),
      refuseUser({ organizationId: "$first", id: "$invitation" }),
    ],
  },
  "identity.v1.InvitationService/ListInvitations": {
    given: ["organization", "invitation", "invitationByEmail"],
    succeeds: { organizationId: "$organization", order: "created_at asc", pageSize: 10 },
    fails: [
      refuse("INVALID_PARAMETER", { organizationId: "$organization", order: "email" }),
      refuse("ORGANIZATION_NOT_FOUND", { organizationId: "$second" }),
      refuseUser({ organizationId: "$first" }),
    ],
  },
  "identity.v1.InvitationService/RevokeInvitation": {
    given: ["organization", "invitation"],
    succeeds: { id: "$invitation" },
    fails: [outdated({ id: "$invitation" }), refuse("INVITATION_NOT_FOUND", { id: "$nowhere" })],
  },
  "identity.v1.InvitationService/AcceptInvitation": {
    as: "teamAdmin",
    given: ["organization", "invitation"],
    succeeds: { id: "$invitation" },
    fails: [
      { as: "orgAdmin", reason: "INVITATION_NOT_FOUND", request: { id: "$invitation" } },
      { as: "service", reason: "USER_NOT_FOUND", request: { id: "$invitation" } },
    ],
  },
  "identity.v1.InvitationService/DeclineInvitation": {
    as: "teamAdmin",
    given: ["organization", "invitation"],
    succeeds: { id: "$invitation" },
    fails: [
      { as: "orgAdmin", reason: "INVITATION_NOT_FOUND", request: { id: "$invitation" } },
      { as: "service", reason: "USER_NOT_FOUND", request: { id: "$invitation" } },
    ],
  },
};
