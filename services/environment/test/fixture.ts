import { createInProcessTransport, type EventTransport } from "@cloud/messaging";
import { type Database, openDatabase } from "@cloud/postgres";
import { ConnectionService } from "@cloud/proto/environment/v1/connection_service_pb";
import { CredentialService } from "@cloud/proto/environment/v1/credential_service_pb";
import { DirectoryService } from "@cloud/proto/environment/v1/directory_service_pb";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { createServiceTransport } from "@cloud/rpc";
import { createTestDatabase, testTelemetry } from "@cloud/testkit";
import { type Client, createClient } from "@connectrpc/connect";
import { startEnvironmentService } from "../src/service.ts";
import { type IdentityPeer, SERVICE_TOKEN, startIdentityPeer, type UserName } from "./identity-peer.ts";

export interface Clients {
  readonly environments: Client<typeof EnvironmentService>;
  readonly connections: Client<typeof ConnectionService>;
  readonly credentials: Client<typeof CredentialService>;
  readonly directory: Client<typeof DirectoryService>;
}

export interface Fixture extends Readonly<Record<UserName | "service" | "stranger", Clients>> {
  readonly identity: IdentityPeer;
  /** A second pool on the service's schema, to look behind the scenes and to hold locks. */
  readonly db: Database;
  readonly url: string;
  stop(): Promise<void>;
}

/** The real service on a database of its own, beside an identity peer; events go through `transport`. */
export async function startFixture(events: { transport: EventTransport } | { natsUrl: string } | "apart" = "apart") {
  await using resources = new AsyncDisposableStack();
  const telemetry = testTelemetry();
  const database = await createTestDatabase("environment");
  resources.defer(() => database.drop());
  const identity = await startIdentityPeer();
  resources.defer(() => identity.stop());
  const service = await startEnvironmentService({
    host: "127.0.0.1",
    port: 0,
    databaseUrl: database.url,
    natsUrl: "",
    natsReplicas: 1,
    serviceToken: SERVICE_TOKEN,
    acceptedServiceTokens: [SERVICE_TOKEN],
    identityUrl: identity.url,
    telemetry,
    ...(events === "apart" ? { transport: createInProcessTransport(telemetry) } : events),
  });
  resources.defer(() => service.stop());
  const db = openDatabase({ url: database.url, schema: "environment", applicationName: "test", log: telemetry.log });
  resources.defer(() => db.close());

  const as = (token: string) => clientsFor(service.url, token);
  const callers = {
    admin: as("admin"),
    member: as("member"),
    outsider: as("outsider"),
    provider: as("provider"),
    service: as(SERVICE_TOKEN),
    stranger: as("nobody"),
  };
  const running = resources.move();
  const fixture: Fixture = { ...callers, identity, db, url: service.url, stop: () => running.disposeAsync() };
  return fixture;
}

/** Clients that show the token. */
export function clientsFor(url: string, token: string): Clients {
  const transport = createServiceTransport({ url, serviceToken: token });
  return {
    environments: createClient(EnvironmentService, transport),
    connections: createClient(ConnectionService, transport),
    credentials: createClient(CredentialService, transport),
    directory: createClient(DirectoryService, transport),
  };
}
