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
  const handle = bindHandlers<Context>(context);

  router.service(UserService, {
    getProfile: handle(getProfile),
    updatePreferences: handle(updatePreferences),
    createUser: handle(createUser),
    getUser: handle(getUser),
  });
  router.service(OrganizationService, {
    createOrganization: handle(createOrganization),
    getOrganization: handle(getOrganization),
    listOrganizations: handle(listOrganizations),
    updateOrganization: handle(updateOrganization),
    deleteOrganization: handle(deleteOrganization),
    listMembers: handle(listMembers),
    listOwnPermissions: handle(listOwnPermissions),
    listRoles: handle(listRoles),
    setMemberRoles: handle(setMemberRoles),
    removeMember: handle(removeMember),
  });
  router.service(InvitationService, {
    createInvitation: handle(createInvitation),
    addMember: handle(addMember),
    getInvitation: handle(getInvitation),
    listInvitations: handle(listInvitations),
    revokeInvitation: handle(revokeInvitation),
    acceptInvitation: handle(acceptInvitation),
    declineInvitation: handle(declineInvitation),
  });
  router.service(AuditService, {
    listAuditEvents: handle(listAuditEvents),
  });
  router.service(TeamService, {
    createTeam: handle(createTeam),
    getTeam: handle(getTeam),
    listTeams: handle(listTeams),
    updateTeam: handle(updateTeam),
    deleteTeam: handle(deleteTeam),
    listTeamMembers: handle(listTeamMembers),
    addTeamMember: handle(addTeamMember),
    removeTeamMember: handle(removeTeamMember),
  });
  router.service(TokenService, {
    createToken: handle(createToken),
    getToken: handle(getToken),
    listTokens: handle(listTokens),
    revokeToken: handle(revokeToken),
  });
  router.service(AuthService, {
    authenticate: handle(authenticate),
    batchAuthenticate: handle(batchAuthenticate),
  });
  router.service(DirectoryService, {
    batchGetOrganizations: handle(batchGetOrganizations),
    listLiveOrganizationIds: handle(listLiveOrganizationIds),
    batchGetTeams: handle(batchGetTeams),
    selectTeams: handle(selectTeams),
    selectTeamsAmong: handle(selectTeamsAmong),
    listUserTeamIds: handle(listUserTeamIds),
  });
  router.service(CurriculumService, {
    listCurricula: handle(listCurricula),
    getCurriculum: handle(getCurriculum),
    createCurriculum: handle(createCurriculum),
    registerForCurriculum: handle(registerForCurriculum),
  });
}
