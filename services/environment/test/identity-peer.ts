import { Permission, PermissionSchema } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import { fail, newId, type OrganizationId, permissionName, startRpcServer, type UserId } from "@cloud/rpc";
import { testTelemetry } from "@cloud/testkit";

export const SERVICE_TOKEN = "service-token-of-the-tests";

/** Who holds what: admin and member are in `home`, outsider is an admin of `abroad`, provider is in neither. */
export type UserName = "admin" | "member" | "outsider" | "provider";

export interface IdentityPeer {
  readonly url: string;
  /** Live until `bury`. */
  readonly home: OrganizationId;
  readonly abroad: OrganizationId;
  readonly users: Readonly<Record<UserName, UserId>>;
  found(organization: OrganizationId): void;
  /** Identity forgets an organization before any event tells of it. */
  bury(organization: OrganizationId): void;
  stop(): Promise<void>;
}

const every = PermissionSchema.values.map((value) => permissionName(value.number as Permission)).filter(Boolean);
const all = every.filter((name) => name !== permissionName(Permission.VIEW_ALL_ORGANIZATIONS));
const views = [Permission.VIEW_WORKSPACE, Permission.VIEW_ENVIRONMENT, Permission.VIEW_CONNECTIONS].map(permissionName);

/** A neighbour that answers what the environment service asks of identity, over the wire, from a small table. */
export async function startIdentityPeer(): Promise<IdentityPeer> {
  const [home, abroad] = [newId<OrganizationId>(), newId<OrganizationId>()];
  const live = new Set<string>([home, abroad]);
  const users = {
    admin: newId<UserId>(),
    member: newId<UserId>(),
    outsider: newId<UserId>(),
    provider: newId<UserId>(),
  };
  const places: Record<UserName, { organizationId: string; permissions: string[] }[]> = {
    admin: [{ organizationId: home, permissions: all }],
    member: [{ organizationId: home, permissions: views }],
    outsider: [{ organizationId: abroad, permissions: all }],
    provider: [],
  };

  const authenticate = ({ token }: { token: string }) => {
    if (!Object.hasOwn(users, token)) {
      throw fail(Reason.UNAUTHENTICATED);
    }
    const name = token as UserName;
    const memberships = places[name].filter((place) => live.has(place.organizationId));
    return { userId: users[name], memberships, everywhere: name === "provider" ? every : [] };
  };
  const server = await startRpcServer({
    host: "127.0.0.1",
    port: 0,
    routes: (router) => {
      router.service(AuthService, { authenticate });
      router.service(DirectoryService, {
        batchGetOrganizations: ({ ids }) => ({ organizations: ids.filter((id) => live.has(id)).map((id) => ({ id })) }),
        listLiveOrganizationIds: () => ({ organizationIds: [...live] }),
      });
    },
    services: [AuthService, DirectoryService],
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
    found: (organization) => live.add(organization),
    bury: (organization) => live.delete(organization),
    stop: () => server.stop(),
  };
}
