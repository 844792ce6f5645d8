import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { newId, type UserId } from "@cloud/access/values";
import { type Database, statement } from "@cloud/postgres";
import { CurriculumService } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { AuditService } from "@cloud/proto/identity/v1/audit_service_pb";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import { InvitationService } from "@cloud/proto/identity/v1/invitation_service_pb";
import { OrganizationService } from "@cloud/proto/identity/v1/organization_service_pb";
import { TeamService } from "@cloud/proto/identity/v1/team_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { type ClientsOf, SERVICE_TOKEN, startTestService, type TestService } from "@cloud/service/testing";
import { startTestNats } from "@cloud/testkit";
import type { RoleName } from "../src/memberships/rules.ts";
import { type IdentityServiceConfig, startIdentityService } from "../src/service.ts";
import { startWorkspacePeer, type WorkspacePeer } from "./workspace-peer.ts";

const services = {
  users: UserService,
  organizations: OrganizationService,
  invitations: InvitationService,
  audit: AuditService,
  teams: TeamService,
  tokens: TokenService,
  auth: AuthService,
  directory: DirectoryService,
  curricula: CurriculumService,
};

export type Clients = ClientsOf<typeof services>;

/** A user with a token. */
export interface Person extends Clients {
  readonly id: string;
  readonly token: string;
}

export interface Fixture extends TestService<Clients> {
  /** Clients with the service credential. */
  readonly service: Clients;
  readonly workspaces: WorkspacePeer;
  createPerson(email?: string): Promise<Person>;
  /** Creates an organization without members and returns its id. */
  createOrganization(name?: string): Promise<string>;
  /** Creates a user with these roles in the organization. */
  createMember(organization: string, ...roles: RoleName[]): Promise<Person>;
  /** Returns the events of a type in the outbox, oldest first. */
  events<Schema extends DescMessage>(schema: Schema): Promise<MessageShape<Schema>[]>;
}

/** Starts the real service and a nats-server of its own, with a workspace peer. */
export async function startFixture(settings: Partial<IdentityServiceConfig> = {}): Promise<Fixture> {
  await using resources = new AsyncDisposableStack();
  const nats = await startTestNats();
  resources.defer(() => nats.stop());
  const workspaces = await startWorkspacePeer(nats.url);
  resources.defer(() => workspaces.stop());
  const identity = await startTestService({
    name: "identity",
    services,
    start: (config) => startIdentityService({ ...config, ...settings, workspaceUrl: workspaces.url }),
    natsUrl: nats.urlOf("identity"),
  });
  resources.defer(() => identity.stop());
  const running = resources.move();
  const events = eventsOf(identity.db);
  return { ...identity, ...peopleOf(identity.as), workspaces, events, stop: () => running.disposeAsync() };
}

function peopleOf(as: Fixture["as"]) {
  const service = as(SERVICE_TOKEN);
  const createPerson = async (email = newId<UserId>() + "@example.test"): Promise<Person> => {
    const { user } = await service.users.createUser({ email });
    const id = user?.id ?? "";
    const { secret } = await service.tokens.createToken({ userId: id });
    return { ...as(secret), id, token: secret };
  };
  return {
    service,
    createPerson,
    createOrganization: async (name = "") =>
      (await service.organizations.createOrganization({ name })).organization?.id ?? "",
    createMember: async (organization: string, ...roleNames: RoleName[]) => {
      const person = await createPerson();
      await service.organizations.setMemberRoles({ id: organization, userId: person.id, roleNames });
      return person;
    },
  };
}

function eventsOf(db: Database): Fixture["events"] {
  return async (schema) => {
    const text = statement<{ payload: Buffer }>`
      select payload
      from outbox
      where type = $1
      order by created_at`;
    const { rows } = await db.read(text, [schema.typeName]);
    return rows.map(({ payload }) => fromBinary(schema, payload));
  };
}
