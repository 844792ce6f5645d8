import { permissionName } from "@cloud/access/principal";
import { newId, type OrganizationId, orThrow, type UserId } from "@cloud/access/values";
import { Permission, PermissionSchema } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import { tokenOf, type UserName } from "./callers.ts";
import { type OwnedRecord, recordsAmong, selectRecords } from "./owned-records.ts";
import { createRecordOwner, type RecordOwner } from "./record-owner.ts";
import { type Peer, startPeer } from "./start-peer.ts";

/**
 * The identity service as its peers see it, with tables that a test may change. Admin and member belong to `home`,
 * outsider is an admin of `abroad`, provider belongs to neither and holds every permission everywhere.
 */
export interface IdentityPeer extends Peer, RecordOwner {
  readonly home: OrganizationId;
  readonly abroad: OrganizationId;
  readonly users: Readonly<Record<UserName, UserId>>;
  /** Users whose tokens are revoked. */
  readonly revoked: Set<UserName>;
  /** Users whose roles give no permission. */
  readonly powerless: Set<UserName>;
  /** Live organizations and their owners. */
  readonly organizations: Map<string, string>;
  readonly teams: Map<string, OwnedRecord & { readonly members: readonly string[] }>;
  /** Adds a live team and returns its id. */
  addTeam(organizationId: OrganizationId, ...members: string[]): string;
}

const every = PermissionSchema.values.map((value) => permissionName(value.number as Permission)).filter(Boolean);
const all = every.filter((name) => name !== permissionName(Permission.VIEW_ALL_ORGANIZATIONS));
const views = [Permission.VIEW_WORKSPACE, Permission.VIEW_ENVIRONMENT, Permission.VIEW_CONNECTIONS].map(permissionName);

const roles = { admin: { permissions: all }, viewer: { permissions: views } };
type RoleName = keyof typeof roles;

/** Starts a real server that implements the calls of the other services to identity. */
export async function startIdentityPeer(): Promise<IdentityPeer> {
  const [home, abroad] = [newId<OrganizationId>(), newId<OrganizationId>()];
  const users = {
    admin: newId<UserId>(),
    member: newId<UserId>(),
    outsider: newId<UserId>(),
    provider: newId<UserId>(),
  };
  const memberships: Record<UserName, { organizationId: string; roleNames: RoleName[] }[]> = {
    admin: [{ organizationId: home, roleNames: ["admin"] }],
    member: [{ organizationId: home, roleNames: ["viewer"] }],
    outsider: [{ organizationId: abroad, roleNames: ["admin"] }],
    provider: [],
  };
  const organizations: IdentityPeer["organizations"] = new Map([
    [home, users.admin],
    [abroad, users.outsider],
  ]);
  const teams: IdentityPeer["teams"] = new Map();

  const revoked = new Set<UserName>();
  const powerless = new Set<UserName>();

  const identityOf = (token: string) => {
    const name = (Object.keys(users) as UserName[]).find((user) => tokenOf(user) === token);
    if (name === undefined || revoked.has(name)) return undefined;
    const live = memberships[name]
      .filter(({ organizationId }) => organizations.has(organizationId))
      .map((place) => (powerless.has(name) ? { ...place, roleNames: [] } : place));
    return { userId: users[name], memberships: live, everywhere: name === "provider" ? every : [] };
  };
  const owner = createRecordOwner({ [RecordKind.ORGANIZATION]: organizations, [RecordKind.TEAM]: teams });
  const peer = await startPeer({
    owner,
    services: [AuthService, DirectoryService],
    routes: (router) => {
      router.service(AuthService, {
        authenticate: ({ token }) => {
          const { memberships: places, ...identity } = orThrow(identityOf(token), Reason.UNAUTHENTICATED);
          const permissionsOf = (roleNames: RoleName[]) => roleNames.flatMap((role) => roles[role].permissions);
          return {
            ...identity,
            memberships: places.map((place) => ({ ...place, permissions: permissionsOf(place.roleNames) })),
          };
        },
        batchAuthenticate: ({ tokens }) => ({
          identities: Object.fromEntries(
            tokens.flatMap((token, position) => {
              const identity = identityOf(token);
              return identity === undefined ? [] : [[position, identity]];
            }),
          ),
          roles,
        }),
      });
      router.service(DirectoryService, {
        batchGetOrganizations: ({ ids }) => ({
          organizations: ids
            .filter((id) => organizations.has(id))
            .map((id) => ({ id, owner: organizations.get(id) ?? "" })),
        }),
        listLiveOrganizationIds: () => ({ organizationIds: [...organizations.keys()] }),
        batchGetTeams: ({ ids }) => ({ teams: recordsAmong(teams, ids) }),
        selectTeams: (request) => {
          const { records, ...page } = selectRecords(teams, request);
          return { ...page, teams: records };
        },
        listUserTeamIds: ({ userId }) => ({
          teamIds: [...teams.values()].filter((team) => team.members.includes(userId)).map((team) => team.id),
        }),
      });
    },
  });
  return {
    ...peer,
    ...owner,
    home,
    abroad,
    users,
    revoked,
    powerless,
    organizations,
    teams,
    addTeam: (organizationId, ...members) => {
      const id = newId();
      teams.set(id, { id, organizationId, members });
      return id;
    },
  };
}
