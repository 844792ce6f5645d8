/** The ids that earlier steps made or that the test gives, by name. */
export type Ids = Readonly<Record<string, string>>;

/** A call of a published client. Data. */
export interface Step {
  /** The operation's names in the clients; each generation has one. */
  readonly operation: readonly string[];
  readonly args: (ids: Ids) => Readonly<Record<string, unknown>>;
  /** The name of the id that the reply contains. */
  readonly makes?: string;
}

const step = (operation: string, args: Step["args"] = () => ({}), makes?: string): Step => ({
  operation: operation.split("|"),
  args,
  ...(makes === undefined ? {} : { makes }),
});

/** The arguments that every list of the clients sends, with both spellings of the page size. */
const page = { page: 0, pagesize: 10, pageSize: 10, search: "", order: "updated_at desc" };
const link = (to: string, name: string) => (ids: Ids) => ({ [to]: ids[to], [name]: ids[name] });

/** Every operation that has an RPC here, in an order in which each finds what it needs. */
export const STEPS: readonly Step[] = [
  step("createOrg", () => ({ body: { name: "Published", country: "", region: "" } }), "made"),
  step("getOrgs", () => ({ ...page, all: true })),
  step("getOrg", ({ made }) => ({ orgId: made })),
  step("updateOrg|handleUpdateOrg", ({ made }) => ({ orgId: made, body: { name: "Renamed", description: "" } })),
  step("deleteOrg", ({ made }) => ({ orgId: made })),
  step("getUserKeys", ({ orgId }) => ({ orgId, page: 0, pagesize: 100 })),
  step("getAllRoles", ({ orgId }) => ({ orgId, ...page, all: true })),
  step("getUsersForOrg", ({ orgId }) => ({ orgId, ...page, filter: "{}", teamId: "" })),
  step("handleUserInvite", ({ orgId, email }) => ({ orgId, body: { email, roleNames: ["User"] } })),
  step("addUserToOrg", ({ orgId, invitee }) => ({ orgId, userId: invitee })),
  step("getUserProfileById", ({ userId }) => ({ id: userId })),
  step("getUser"),
  step("createTeam", ({ orgId }) => ({ orgId, body: { name: "Team", description: "" } }), "teamId"),
  step("getTeams", ({ orgId }) => ({ orgId, ...page })),
  step("getTeamById", link("orgId", "teamId")),
  step("updateTeam", (ids) => ({ ...link("orgId", "teamId")(ids), body: { name: "Renamed", description: "" } })),
  step("addUserToTeam", ({ orgId, teamId, userId }) => ({ orgId, teamId, userId })),
  step("getTeamUsers", ({ teamId }) => ({ teamId, ...page })),
  // On this path the contract has the members of the team.
  step("listUsersNotInTeam", ({ orgId, teamId }) => ({ orgId, teamId, ...page })),
  step("generateToken", () => ({ name: "Laptop", purpose: "tests" }), "tokenId"),
  step("getUserTokens", () => ({ ...page, isOAuth: false, isOauth: false })),
  step("getUserTokensById", ({ tokenId }) => ({ tokenId, id: tokenId })),
  step("deleteUserToken", ({ tokenId }) => ({ tokenId })),
  step("saveUserCredential", () => ({ body: { name: "Key", type: "token", secret: { a: "b" } } }), "credentialId"),
  step("getUserCredentials", () => page),
  step("getCredentialById", ({ credentialId }) => ({ credentialId, id: credentialId })),
  step(
    "registerConnection",
    () => ({ body: { name: "Cluster", kind: "k", type: "t", status: "found" } }),
    "connectionId",
  ),
  step("getConnections", ({ orgId }) => ({ orgId, ...page })),
  step("getConnectionById", ({ connectionId }) => ({ connectionId })),
  step("updateConnection", ({ connectionId }) => ({ connectionId, body: { name: "Renamed", status: "connected" } })),
  step("createEnvironment", ({ orgId }) => ({ body: { organizationId: orgId, name: "Env" } }), "environmentId"),
  step("getEnvironments", ({ orgId }) => ({ orgId, ...page })),
  step("getEnvironmentById", ({ orgId, environmentId }) => ({ orgId, environmentId })),
  step("updateEnvironment", ({ orgId, environmentId }) => ({
    environmentId,
    body: { organizationId: orgId, name: "E" },
  })),
  step("addConnectionToEnvironment", link("environmentId", "connectionId")),
  step("getEnvironmentConnections", ({ environmentId }) => ({ environmentId, ...page, filter: '{"assigned":true}' })),
  step("removeConnectionFromEnvironment", link("environmentId", "connectionId")),
  step("upsertPattern", () => ({ body: { name: "Design", save: true, patternData: { patternFile: "" } } }), "designId"),
  step("getPatterns", ({ orgId }) => ({ orgId, ...page, visibility: ["private"], populate: ["pattern_file"] })),
  step("getPattern", ({ designId }) => ({ designId, id: designId })),
  step("createView", () => ({ body: { name: "View", filters: {}, visibility: "private", metadata: {} } })),
  step("getViews", ({ orgId }) => ({ orgId, ...page, filter: "{}", visibility: "private" })),
  step("getViewById", ({ viewId }) => ({ viewId })),
  step("updateView", ({ viewId }) => ({ viewId, body: { name: "Renamed" } })),
  step("createWorkspace", ({ orgId }) => ({ body: { organizationId: orgId, name: "Space" } }), "workspaceId"),
  step("getWorkspaces", ({ orgId }) => ({ orgId, ...page })),
  step("getWorkspaceById", ({ workspaceId }) => ({ workspaceId })),
  step("updateWorkspace", ({ orgId, workspaceId }) => ({ workspaceId, body: { organizationId: orgId, name: "S" } })),
  ...["Team", "Environment", "Design", "View"].flatMap((kind) => {
    const linked = link("workspaceId", `${kind.toLowerCase()}Id`);
    return [
      step(`assign${kind}ToWorkspace`, linked),
      step(`get${kind}sOfWorkspace`, ({ workspaceId }) => ({ workspaceId, ...page, filter: '{"assigned":true}' })),
      step(`unassign${kind}FromWorkspace`, linked),
    ];
  }),
  step("getEventsOfWorkspace", ({ workspaceId }) => ({ workspaceId, ...page, order: "created_at desc" })),
  step("createAcademyCurricula", ({ orgId }) => ({ body: { orgId, title: "Go", type: "challenge" } }), "curriculumId"),
  step("getAcademyCurricula", ({ orgId }) => ({ orgId: [orgId], sort: "title", order: "asc", page: 0, pagesize: 10 })),
  step("getAcademyCurriculaById", ({ curriculumId }) => ({ id: curriculumId })),
  step("registerToAcademyContent", ({ curriculumId, userId }) => ({ body: { contentId: curriculumId, userId } })),
  step("deleteWorkspace", ({ workspaceId }) => ({ workspaceId })),
  step("deleteView", ({ viewId }) => ({ viewId })),
  step("deletePattern", ({ designId }) => ({ designId, id: designId })),
  step("deleteEnvironment", ({ environmentId }) => ({ environmentId })),
  step("deleteConnection", ({ connectionId }) => ({ connectionId })),
  step("deleteUserCredential", ({ credentialId }) => ({ credentialId })),
  step("removeUserFromTeam", ({ orgId, teamId, userId }) => ({ orgId, teamId, userId })),
  step("deleteTeam", link("orgId", "teamId")),
  step("deleteUserFromOrg", ({ orgId, userId }) => ({ orgId, userId })),
];

const NO_RPC = "no RPC here";
const without = (reason: string, names: string) => names.split(" ").map((name) => [name, reason] as const);

/** The other operations about the same records, with the reason. */
export const OTHERS: ReadonlyMap<string, string> = new Map([
  ...without("the specification defines the permission keys", "getKeys upsertKey getKeyById deleteKey"),
  ...without("the specification defines the roles", "addRoleHolder deleteRole upsertRole bulkEditRoleHolder"),
  ...without("a team stays in its organization", "addTeamToOrg removeTeamFromOrg"),
  ...without("organizations have no domain and no preferences", "getOrgByDomain getOrgPreferences"),
  ...without("there is no list of all users", "getUsers"),
  ...without("no secret is stored, so that a credential never changes", "updateUserCredential"),
  ...without("tokens have no other kind", "issueIndefiniteLifetimeToken"),
  ...without("designs have no content", "deletePatterns getPatternResources upsertPatternResource getPatternResource"),
  ...without("designs have no content", "deletePatternResource clonePattern getDesignPatternFile importDesign"),
  ...without("designs have no content", "upsertPatternSourceContent"),
  ...without("records are shared by workspaces", "shareDesign shareView"),
  ...without(NO_RPC, "getMyAcademyCurricula getAcademyContent withdrawFromAcademyContent getAcademyAdminSummary"),
  ...without(NO_RPC, "updateAcademyCurriculaById deleteAcademyCurriculaById getAcademyAdminRegistrations"),
  ...without(NO_RPC, "getApiAcademyRegistrationsByContentId deleteMesheryConnection getEventSummaryByUser"),
  ...without(NO_RPC, "getFeaturesByOrganization previewSubscriptionUpgrade"),
]);
