import { Permission, PermissionSchema } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import { fail, newId, type OrganizationId, permissionName, startRpcServer, type UserId } from "@cloud/rpc";
import { testTelemetry } from "@cloud/testkit";

export const SERVICE_TOKEN = "service-token-of-the-tests";

/** Who holds what: admin and member are in `home`, outsider is an admin of `abroad`, provider is in neither. */
export type UserName = "admin" | "member" | "outsider" | "provider";

interface Owned {
  id: string;
  organizationId: string;
}

/** The neighbours: what identity and the environment service answer, from tables that a test may change. */
export interface Peers {
  readonly url: string;
  readonly home: OrganizationId;
  readonly abroad: OrganizationId;
  readonly users: Readonly<Record<UserName, UserId>>;
  /** Live organizations and their owners. */
  readonly organizations: Map<string, string>;
  readonly teams: Map<string, Owned & { members: string[] }>;
  readonly environments: Map<string, Owned & { platformProvisioned: boolean; connections: string[] }>;
  addTeam(organizationId: OrganizationId, ...members: string[]): string;
  addEnvironment(
    organizationId: OrganizationId,
    more?: { platformProvisioned?: boolean; connections?: string[] },
  ): string;
  stop(): Promise<void>;
}

const every = PermissionSchema.values.map((value) => permissionName(value.number as Permission)).filter(Boolean);
const all = every.filter((name) => name !== permissionName(Permission.VIEW_ALL_ORGANIZATIONS));
const views = [Permission.VIEW_WORKSPACE, Permission.VIEW_ENVIRONMENT, Permission.VIEW_CONNECTIONS].map(permissionName);

export async function startPeers(): Promise<Peers> {
  const [home, abroad] = [newId<OrganizationId>(), newId<OrganizationId>()];
  const users = {
    admin: newId<UserId>(),
    member: newId<UserId>(),
    outsider: newId<UserId>(),
    provider: newId<UserId>(),
  };
  const organizations = new Map<string, string>([
    [home, users.admin],
    [abroad, users.outsider],
  ]);
  const teams: Peers["teams"] = new Map();
  const environments: Peers["environments"] = new Map();
  const places: Record<UserName, { organizationId: string; permissions: string[] }[]> = {
    admin: [{ organizationId: home, permissions: all }],
    member: [{ organizationId: home, permissions: views }],
    outsider: [{ organizationId: abroad, permissions: all }],
    provider: [],
  };
  const server = await startRpcServer({
    host: "127.0.0.1",
    port: 0,
    routes: (router) => {
      router.service(AuthService, {
        authenticate: ({ token }) => {
          if (!Object.hasOwn(users, token)) {
            throw fail(Reason.UNAUTHENTICATED);
          }
          const name = token as UserName;
          const memberships = places[name].filter((place) => organizations.has(place.organizationId));
          return { userId: users[name], memberships, everywhere: name === "provider" ? every : [] };
        },
      });
      router.service(IdentityDirectory, {
        batchGetOrganizations: ({ ids }) => ({
          organizations: ids
            .filter((id) => organizations.has(id))
            .map((id) => ({ id, owner: organizations.get(id) ?? "" })),
        }),
        listLiveOrganizationIds: () => ({ organizationIds: [...organizations.keys()] }),
        batchGetTeams: ({ ids }) => ({ teams: ids.flatMap((id) => teams.get(id) ?? []).map(strip) }),
        selectTeams: (request) => ({ page: 0, pageSize: 25, ...select([...teams.values()], request, "teams") }),
        listUserTeamIds: ({ userId }) => ({
          teamIds: [...teams.values()].filter((team) => team.members.includes(userId)).map((team) => team.id),
        }),
      });
      router.service(EnvironmentDirectory, {
        batchGetEnvironments: ({ ids }) => ({
          environments: ids.flatMap((id) => environments.get(id) ?? []).map(strip),
        }),
        selectEnvironments: (request) => ({
          page: 0,
          pageSize: 25,
          ...select([...environments.values()], request, "environments"),
        }),
        listConnectionEnvironments: ({ connectionId }) => ({
          environmentIds: [...environments.values()]
            .filter((environment) => environment.connections.includes(connectionId))
            .map((environment) => environment.id),
        }),
      });
    },
    services: [AuthService, IdentityDirectory, EnvironmentDirectory],
    authenticate: async () => Promise.reject(fail(Reason.UNAUTHENTICATED)),
    organizationIsLive: async () => false,
    serviceTokens: [SERVICE_TOKEN],
    checkReady: async () => undefined,
    translate: () => undefined,
    telemetry: testTelemetry(),
  });
  return {
    url: server.url,
    home,
    abroad,
    users,
    organizations,
    teams,
    environments,
    addTeam: (organizationId, ...members) => {
      const id = newId();
      teams.set(id, { id, organizationId, members });
      return id;
    },
    addEnvironment: (organizationId, { platformProvisioned = false, connections = [] } = {}) => {
      const id = newId();
      environments.set(id, { id, organizationId, platformProvisioned, connections });
      return id;
    },
    stop: () => server.stop(),
  };
}

const strip = <R extends Owned & { platformProvisioned?: boolean }>({
  id,
  organizationId,
  platformProvisioned,
}: R) => ({
  id,
  organizationId,
  ...(platformProvisioned === undefined ? {} : { platformProvisioned }),
});

function select<Key extends string>(
  rows: readonly Owned[],
  request: { organizationId: string; ids: string[]; assigned: boolean },
  key: Key,
) {
  const found = rows.filter(
    (row) => row.organizationId === request.organizationId && request.ids.includes(row.id) === request.assigned,
  );
  return { totalCount: found.length, [key]: found.map(strip) } as { totalCount: number } & Record<Key, Owned[]>;
}
