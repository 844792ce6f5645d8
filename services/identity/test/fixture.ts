import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { type Database, openDatabase } from "@cloud/postgres";
import { CurriculumService } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import { OrganizationService } from "@cloud/proto/identity/v1/organization_service_pb";
import { TeamService } from "@cloud/proto/identity/v1/team_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { createServiceTransport, newId, type UserId } from "@cloud/rpc";
import { createTestDatabase, startTestNats, testTelemetry } from "@cloud/testkit";
import { type Client, createClient } from "@connectrpc/connect";
import type { RoleName } from "../src/organizations/role-rules.ts";
import { startIdentityService } from "../src/service.ts";
import { startWorkspacePeer, type WorkspacePeer } from "./workspace-peer.ts";

export const SERVICE_TOKEN = "service-credential-of-the-tests";

export interface Clients {
  readonly users: Client<typeof UserService>;
  readonly organizations: Client<typeof OrganizationService>;
  readonly teams: Client<typeof TeamService>;
  readonly tokens: Client<typeof TokenService>;
  readonly auth: Client<typeof AuthService>;
  readonly directory: Client<typeof DirectoryService>;
  readonly curricula: Client<typeof CurriculumService>;
}

/** A user with a token. */
export interface Person extends Clients {
  readonly id: string;
  readonly token: string;
}

export interface Fixture {
  /** With the service credential. */
  readonly service: Clients;
  readonly workspaces: WorkspacePeer;
  /** A second pool on the service's schema, to look behind the scenes. */
  readonly db: Database;
  readonly url: string;
  as(token: string): Clients;
  createPerson(): Promise<Person>;
  /** An organization that nobody is in. */
  createOrganization(name?: string): Promise<string>;
  /** A new user with these roles in the organization. */
  createMember(organization: string, ...roles: RoleName[]): Promise<Person>;
  /** The events of a kind in the outbox, oldest first. */
  events<Schema extends DescMessage>(schema: Schema): Promise<MessageShape<Schema>[]>;
  stop(): Promise<void>;
}

/** The real service on a database and a nats-server of its own, beside a workspace peer. */
export async function startFixture(): Promise<Fixture> {
  await using resources = new AsyncDisposableStack();
  const telemetry = testTelemetry();
  const nats = await startTestNats();
  resources.defer(() => nats.stop());
  const database = await createTestDatabase("identity");
  resources.defer(() => database.drop());
  const workspaces = await startWorkspacePeer(nats.url, SERVICE_TOKEN);
  resources.defer(() => workspaces.stop());
  const identity = await startIdentityService({
    host: "127.0.0.1",
    port: 0,
    databaseUrl: database.url,
    natsUrl: nats.url,
    natsReplicas: 1,
    serviceToken: SERVICE_TOKEN,
    acceptedServiceTokens: [SERVICE_TOKEN],
    workspaceUrl: workspaces.url,
    telemetry,
  });
  resources.defer(() => identity.stop());
  const db = openDatabase({ url: database.url, schema: "identity", applicationName: "test", log: telemetry.log });
  resources.defer(() => db.close());
  const running = resources.move();
  const people = peopleOf(identity.url);
  return { ...people, workspaces, db, url: identity.url, events: eventsOf(db), stop: () => running.disposeAsync() };
}

function peopleOf(url: string) {
  const as = (token: string) => clientsFor(url, token);
  const service = as(SERVICE_TOKEN);
  const createPerson = async (): Promise<Person> => {
    const { user } = await service.users.createUser({ email: newId<UserId>() + "@example.test" });
    const id = user?.id ?? "";
    const { secret } = await service.tokens.createToken({ userId: id });
    return { ...as(secret), id, token: secret };
  };
  return {
    as,
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
    const text = "select payload from outbox where type = $1 order by created_at";
    const { rows } = await db.query<{ payload: Buffer }>(text, [schema.typeName]);
    return rows.map(({ payload }) => fromBinary(schema, payload));
  };
}

function clientsFor(url: string, token: string): Clients {
  const transport = createServiceTransport({ url, serviceToken: token });
  return {
    users: createClient(UserService, transport),
    organizations: createClient(OrganizationService, transport),
    teams: createClient(TeamService, transport),
    tokens: createClient(TokenService, transport),
    auth: createClient(AuthService, transport),
    directory: createClient(DirectoryService, transport),
    curricula: createClient(CurriculumService, transport),
  };
}
