import { CurriculumService } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { type AuthenticateRequest, AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import { OrganizationService } from "@cloud/proto/identity/v1/organization_service_pb";
import { TeamService } from "@cloud/proto/identity/v1/team_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { type Caller, callerOf } from "@cloud/rpc";
import type { ConnectRouter, HandlerContext } from "@connectrpc/connect";
import { authenticate } from "./authentication/authenticate.ts";
import type { IdentityContext } from "./context.ts";
import { createCurriculum } from "./curricula/create-curriculum.ts";
import { listCurricula } from "./curricula/list-curricula.ts";
import { registerForCurriculum } from "./curricula/register-for-curriculum.ts";
import { batchGetOrganizations } from "./directory/batch-get-organizations.ts";
import { batchGetTeams } from "./directory/batch-get-teams.ts";
import { listLiveOrganizationIds } from "./directory/list-live-organization-ids.ts";
import { listUserTeamIds } from "./directory/list-user-team-ids.ts";
import { selectTeams } from "./directory/select-teams.ts";
import { createOrganization } from "./organizations/create-organization.ts";
import { deleteOrganization } from "./organizations/delete-organization.ts";
import { getOrganization } from "./organizations/get-organization.ts";
import { listOrganizations } from "./organizations/list-organizations.ts";
import { removeMember } from "./organizations/remove-member.ts";
import { setMemberRoles } from "./organizations/set-member-roles.ts";
import { updatePreferences } from "./preferences/update-preferences.ts";
import { addTeamMember } from "./teams/add-team-member.ts";
import { createTeam } from "./teams/create-team.ts";
import { deleteTeam } from "./teams/delete-team.ts";
import { getTeam } from "./teams/get-team.ts";
import { listTeams } from "./teams/list-teams.ts";
import { removeTeamMember } from "./teams/remove-team-member.ts";
import { updateTeam } from "./teams/update-team.ts";
import { createToken } from "./tokens/create-token.ts";
import { listTokens } from "./tokens/list-tokens.ts";
import { revokeToken } from "./tokens/revoke-token.ts";
import { createUser } from "./users/create-user.ts";
import { getProfile } from "./users/get-profile.ts";
import { getUser } from "./users/get-user.ts";

/** What this process serves. */
export const SERVICES = [
  UserService,
  OrganizationService,
  TeamService,
  TokenService,
  AuthService,
  DirectoryService,
  CurriculumService,
] as const;

type Handler<Request, Reply> = (identity: IdentityContext, request: Request, caller: Caller) => Promise<Reply>;

/** RPC to handler. */
export function routes(identity: IdentityContext): (router: ConnectRouter) => void {
  const on =
    <Request, Reply>(handler: Handler<Request, Reply>) =>
    (request: Request, call: HandlerContext) =>
      handler(identity, request, callerOf(call));
  return (router) => {
    router.service(UserService, {
      getProfile: on(getProfile),
      updatePreferences: on(updatePreferences),
      createUser: on(createUser),
      getUser: on(getUser),
    });
    router.service(OrganizationService, {
      createOrganization: on(createOrganization),
      getOrganization: on(getOrganization),
      listOrganizations: on(listOrganizations),
      deleteOrganization: on(deleteOrganization),
      setMemberRoles: on(setMemberRoles),
      removeMember: on(removeMember),
    });
    router.service(TeamService, {
      createTeam: on(createTeam),
      getTeam: on(getTeam),
      listTeams: on(listTeams),
      updateTeam: on(updateTeam),
      deleteTeam: on(deleteTeam),
      addTeamMember: on(addTeamMember),
      removeTeamMember: on(removeTeamMember),
    });
    router.service(TokenService, {
      createToken: on(createToken),
      listTokens: on(listTokens),
      revokeToken: on(revokeToken),
    });
    router.service(AuthService, {
      authenticate: on(({ db }, { token }: AuthenticateRequest) => authenticate(db, token)),
    });
    router.service(DirectoryService, {
      batchGetOrganizations: on(batchGetOrganizations),
      listLiveOrganizationIds: on(listLiveOrganizationIds),
      batchGetTeams: on(batchGetTeams),
      selectTeams: on(selectTeams),
      listUserTeamIds: on(listUserTeamIds),
    });
    router.service(CurriculumService, {
      listCurricula: on(listCurricula),
      createCurriculum: on(createCurriculum),
      registerForCurriculum: on(registerForCurriculum),
    });
  };
}
