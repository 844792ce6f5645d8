import { CurriculumService } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { AuditService } from "@cloud/proto/identity/v1/audit_service_pb";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import { InvitationService } from "@cloud/proto/identity/v1/invitation_service_pb";
import { OrganizationService } from "@cloud/proto/identity/v1/organization_service_pb";
import { TeamService } from "@cloud/proto/identity/v1/team_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { bindHandlers, type CallContext } from "@cloud/service";
import type { ConnectRouter } from "@connectrpc/connect";
import { listAuditEvents } from "./audit/list-audit-events.ts";
import { authenticate, batchAuthenticate } from "./authentication/authenticate.ts";
import type { Context } from "./context.ts";
import { createCurriculum } from "./curricula/create-curriculum.ts";
import { getCurriculum } from "./curricula/get-curriculum.ts";
import { listCurricula } from "./curricula/list-curricula.ts";
import { registerForCurriculum } from "./curricula/register-for-curriculum.ts";
import {
  batchGetOrganizations,
  batchGetTeams,
  listLiveOrganizationIds,
  listUserTeamIds,
  selectTeams,
  selectTeamsAmong,
} from "./directory.ts";
import { acceptInvitation } from "./invitations/accept-invitation.ts";
import { addMember } from "./invitations/add-member.ts";
import { createInvitation } from "./invitations/create-invitation.ts";
import { declineInvitation } from "./invitations/decline-invitation.ts";
import { getInvitation } from "./invitations/get-invitation.ts";
import { listInvitations } from "./invitations/list-invitations.ts";
import { revokeInvitation } from "./invitations/revoke-invitation.ts";
import { listMembers } from "./members/list-members.ts";
import { removeMember } from "./members/remove-member.ts";
import { setMemberRoles } from "./members/set-member-roles.ts";
import { createOrganization } from "./organizations/create-organization.ts";
import { deleteOrganization } from "./organizations/delete-organization.ts";
import { getOrganization } from "./organizations/get-organization.ts";
import { listOrganizations } from "./organizations/list-organizations.ts";
import { updateOrganization } from "./organizations/update-organization.ts";
import { getProfile } from "./profiles/get-profile.ts";
import { updatePreferences } from "./profiles/update-preferences.ts";
import { listOwnPermissions } from "./roles/list-own-permissions.ts";
import { listRoles } from "./roles/list-roles.ts";
import { addTeamMember } from "./teams/add-team-member.ts";
import { createTeam } from "./teams/create-team.ts";
import { deleteTeam } from "./teams/delete-team.ts";
import { getTeam } from "./teams/get-team.ts";
import { listTeamMembers } from "./teams/list-team-members.ts";
import { listTeams } from "./teams/list-teams.ts";
import { removeTeamMember } from "./teams/remove-team-member.ts";
import { updateTeam } from "./teams/update-team.ts";
import { createToken } from "./tokens/create-token.ts";
import { getToken } from "./tokens/get-token.ts";
import { listTokens } from "./tokens/list-tokens.ts";
import { revokeToken } from "./tokens/revoke-token.ts";
import { createUser } from "./users/create-user.ts";
import { getUser } from "./users/get-user.ts";

/** The services that `registerRoutes` registers, for reflection and health. */
export const services = [
  UserService,
  OrganizationService,
  InvitationService,
  AuditService,
  TeamService,
  TokenService,
  AuthService,
  DirectoryService,
  CurriculumService,
];

/** Registers the handler of each RPC of identity.v1 and academy.v1. */
export function registerRoutes(router: ConnectRouter, context: Omit<Context, keyof CallContext>): void {
  const by = bindHandlers<Context>(context);

  router.service(UserService, {
    getProfile: by(getProfile),
    updatePreferences: by(updatePreferences),
    createUser: by(createUser),
    getUser: by(getUser),
  });
  router.service(OrganizationService, {
    createOrganization: by(createOrganization),
    getOrganization: by(getOrganization),
    listOrganizations: by(listOrganizations),
    updateOrganization: by(updateOrganization),
    deleteOrganization: by(deleteOrganization),
    listMembers: by(listMembers),
    listOwnPermissions: by(listOwnPermissions),
    listRoles: by(listRoles),
    setMemberRoles: by(setMemberRoles),
    removeMember: by(removeMember),
  });
  router.service(InvitationService, {
    createInvitation: by(createInvitation),
    addMember: by(addMember),
    getInvitation: by(getInvitation),
    listInvitations: by(listInvitations),
    revokeInvitation: by(revokeInvitation),
    acceptInvitation: by(acceptInvitation),
    declineInvitation: by(declineInvitation),
  });
  router.service(AuditService, {
    listAuditEvents: by(listAuditEvents),
  });
  router.service(TeamService, {
    createTeam: by(createTeam),
    getTeam: by(getTeam),
    listTeams: by(listTeams),
    updateTeam: by(updateTeam),
    deleteTeam: by(deleteTeam),
    listTeamMembers: by(listTeamMembers),
    addTeamMember: by(addTeamMember),
    removeTeamMember: by(removeTeamMember),
  });
  router.service(TokenService, {
    createToken: by(createToken),
    getToken: by(getToken),
    listTokens: by(listTokens),
    revokeToken: by(revokeToken),
  });
  router.service(AuthService, {
    authenticate: by(authenticate),
    batchAuthenticate: by(batchAuthenticate),
  });
  router.service(DirectoryService, {
    batchGetOrganizations: by(batchGetOrganizations),
    listLiveOrganizationIds: by(listLiveOrganizationIds),
    batchGetTeams: by(batchGetTeams),
    selectTeams: by(selectTeams),
    selectTeamsAmong: by(selectTeamsAmong),
    listUserTeamIds: by(listUserTeamIds),
  });
  router.service(CurriculumService, {
    listCurricula: by(listCurricula),
    getCurriculum: by(getCurriculum),
    createCurriculum: by(createCurriculum),
    registerForCurriculum: by(registerForCurriculum),
  });
}
