import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { appendEvent, connectNats, messagingMigrations, startRelay } from "@cloud/messaging";
import { type Database, migrate, openDatabase } from "@cloud/postgres";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { DesignService } from "@cloud/proto/workspace/v1/design_service_pb";
import { DirectoryService } from "@cloud/proto/workspace/v1/directory_service_pb";
import type { Workspace } from "@cloud/proto/workspace/v1/records_pb";
import { ViewService } from "@cloud/proto/workspace/v1/view_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createServiceTransport } from "@cloud/rpc";
import { createTestDatabase, startTestNats, testTelemetry } from "@cloud/testkit";
import { type Client, createClient } from "@connectrpc/connect";
import { startWorkspaceService } from "../src/service.ts";
import { type Peers, SERVICE_TOKEN, startPeers, type UserName } from "./peers.ts";

export interface Clients {
  readonly workspaces: Client<typeof WorkspaceService>;
  readonly designs: Client<typeof DesignService>;
  readonly views: Client<typeof ViewService>;
  readonly access: Client<typeof AccessService>;
  readonly directory: Client<typeof DirectoryService>;
}

export interface Fixture extends Readonly<Record<UserName | "service" | "stranger", Clients>> {
  readonly peers: Peers;
  /** A second pool on the service's schema, to look behind the scenes and to hold locks. */
  readonly db: Database;
  readonly url: string;
  /** Publishes an event as a neighbour does: through an outbox of its own, a relay and NATS. */
  publish<Schema extends DescMessage>(schema: Schema, init: MessageInitShape<Schema>): Promise<void>;
  stop(): Promise<void>;
}

/** The real service on a database and a nats-server of its own, beside its neighbours. */
export async function startFixture(): Promise<Fixture> {
  await using resources = new AsyncDisposableStack();
  const telemetry = testTelemetry();
  const database = await createTestDatabase("workspace");
  resources.defer(() => database.drop());
  const nats = await startTestNats();
  resources.defer(() => nats.stop());
  const peers = await startPeers();
  resources.defer(() => peers.stop());
  const service = await startWorkspaceService({
    host: "127.0.0.1",
    port: 0,
    databaseUrl: database.url,
    natsUrl: nats.url,
    natsReplicas: 1,
    serviceToken: SERVICE_TOKEN,
    acceptedServiceTokens: [SERVICE_TOKEN],
    identityUrl: peers.url,
    environmentUrl: peers.url,
    telemetry,
  });
  resources.defer(() => service.stop());
  const db = openDatabase({ url: database.url, schema: "workspace", applicationName: "test", log: telemetry.log });
  resources.defer(() => db.close());
  const neighbour = await openNeighbour(nats.url, resources);

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
  return {
    ...callers,
    peers,
    db,
    url: service.url,
    publish: (schema, init) => neighbour.withTransaction((tx) => appendEvent(tx, schema, init)),
    stop: () => running.disposeAsync(),
  };
}

/** An outbox whose events reach the service as another service's do. */
async function openNeighbour(natsUrl: string, resources: AsyncDisposableStack): Promise<Database> {
  const telemetry = testTelemetry();
  const database = await createTestDatabase("neighbour");
  resources.defer(() => database.drop());
  await migrate({ url: database.url, schema: "neighbour", sources: [messagingMigrations], log: telemetry.log });
  const db = openDatabase({ url: database.url, schema: "neighbour", applicationName: "test", log: telemetry.log });
  resources.defer(() => db.close());
  const transport = connectNats({ url: natsUrl, clientName: "neighbour", telemetry });
  resources.defer(async () => transport.close());
  const relay = startRelay({ db, transport, source: "neighbour", telemetry });
  resources.defer(() => relay.stop());
  return db;
}

/** Clients that show the token. */
export function clientsFor(url: string, token: string): Clients {
  const transport = createServiceTransport({ url, serviceToken: token });
  return {
    workspaces: createClient(WorkspaceService, transport),
    designs: createClient(DesignService, transport),
    views: createClient(ViewService, transport),
    access: createClient(AccessService, transport),
    directory: createClient(DirectoryService, transport),
  };
}

/** A workspace that a test may do with as it likes. */
export async function newWorkspace(clients: Clients, organizationId: string, name = "scratch"): Promise<Workspace> {
  const { workspace } = await clients.workspaces.createWorkspace({ organizationId, name });
  if (workspace === undefined) {
    throw new TypeError("an answer without a workspace");
  }
  return workspace;
}

/** The log of a workspace, oldest first, in short: `action kind severity`. */
export async function logOf(clients: Clients, id: string): Promise<string[]> {
  const { data } = await clients.workspaces.listWorkspaceEvents({ id, order: "created_at asc", pageSize: 100n });
  return data.map((event) => [event.action, event.actedUponKind, event.severity].join(" "));
}
