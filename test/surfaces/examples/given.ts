export interface GivenStep {
  readonly method?: "POST" | "PUT";
  /** The segments after `/api`. */
  readonly path: readonly string[];
  readonly body?: Readonly<Record<string, unknown>>;
}

const own = { organizationId: "$first", name: "$tag", owner: "$orgAdmin" };
const foreign = { organizationId: "$second", name: "$tag", owner: "$outsider" };

/** REST requests that create the given records, as the operator. */
export const GIVEN = {
  workspace: { path: ["workspaces"], body: own },
  environment: { path: ["environments"], body: own },
  team: { path: ["identity", "teams"], body: own },
  design: { path: ["designs"], body: { ...own, visibility: "public" } },
  view: { path: ["views"], body: { ...own, visibility: "published" } },
  connection: { path: ["connections"], body: { ...own, kind: "git", type: "code", metadata: { zone: "a", size: 3 } } },
  credential: { path: ["credentials"], body: { ...own, type: "token" } },
  curriculum: { path: ["academy", "curricula"], body: { organizationId: "$first", title: "$tag" } },
  organization: { path: ["identity", "organizations"], body: { name: "$tag", owner: "$orgAdmin" } },
  person: { path: ["identity", "users"], body: { email: "$takenEmail" } },
  token: { path: ["identity", "tokens"], body: { name: "$tag", userId: "$orgAdmin" } },
  foreignEnvironment: { path: ["environments"], body: foreign },
  foreignDesign: { path: ["designs"], body: { ...foreign, visibility: "published" } },
  foreignView: { path: ["views"], body: { ...foreign, visibility: "published" } },
  foreignConnection: { path: ["connections"], body: foreign },
  teamInWorkspace: { path: ["workspaces", "$workspace", "teams", "$team"] },
  environmentInWorkspace: { path: ["workspaces", "$workspace", "environments", "$environment"] },
  designInWorkspace: { path: ["workspaces", "$workspace", "designs", "$design"] },
  viewInWorkspace: { path: ["workspaces", "$workspace", "views", "$view"] },
  connectionInEnvironment: { path: ["environments", "$environment", "connections", "$connection"] },
  memberOfTeam: { path: ["identity", "teams", "$team", "members", "$user"] },
  invitation: {
    path: ["identity", "organizations", "$organization", "invitations"],
    body: { userId: "$teamAdmin", roleNames: ["Team Admin"] },
  },
  invitationByEmail: {
    path: ["identity", "organizations", "$organization", "invitations"],
    body: { email: "$email", roleNames: ["User"] },
  },
  memberOfOrganization: {
    method: "PUT",
    path: ["identity", "organizations", "$organization", "members", "$teamAdmin"],
    body: { roleNames: ["User"] },
  },
} as const satisfies Readonly<Record<string, GivenStep>>;

export type GivenName = keyof typeof GIVEN;
