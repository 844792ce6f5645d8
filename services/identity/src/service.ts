import path from "node:path";
import {
  connectNats,
  type EventTransport,
  effect,
  messagingMigrations,
  startConsumer,
  startRelay,
} from "@cloud/messaging";
import { type Database, DatabaseUnavailable, migrate, openDatabase } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { DirectoryService } from "@cloud/proto/workspace/v1/directory_service_pb";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { createServiceTransport, fail, startRpcServer } from "@cloud/rpc";
import type { Telemetry } from "@cloud/telemetry";
import { createClient } from "@connectrpc/connect";
import { authenticate } from "./authentication/authenticate.ts";
import { applyWorkspaceDeleted } from "./consumers/workspace-deleted.ts";
import { selectLiveOrganization } from "./organizations/organizations-sql.ts";
import { routes, SERVICES } from "./routes.ts";

export interface IdentityServiceConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly databaseUrl: string;
  /** Not used when `transport` is given. */
  readonly natsUrl: string;
  readonly natsReplicas: number;
  /** Our credential at the workspace service. */
  readonly serviceToken: string;
  /** The credentials that we accept. */
  readonly acceptedServiceTokens: readonly string[];
  readonly workspaceUrl: string;
  readonly telemetry: Telemetry;
  /** Instead of NATS; whoever gives it closes it. */
  readonly transport?: EventTransport;
}

export interface IdentityService {
  readonly url: string;
  readonly port: number;
  /** Finishes what is in flight. */
  stop(): Promise<void>;
}

/** The owner of the events, of the database schema and of the durable consumer. */
const NAME = "identity";
const MIGRATIONS = { folder: path.join(import.meta.dirname, "../migrations"), name: NAME };

/** Brings the schema up to date, then serves. Waits for a Postgres that is starting; needs no peer and no NATS to start. */
export async function startIdentityService(config: IdentityServiceConfig): Promise<IdentityService> {
  const { telemetry, databaseUrl: url } = config;
  const { log } = telemetry;
  await migrate({ url, schema: NAME, sources: [messagingMigrations, MIGRATIONS], log });

  // Released in reverse order: whoever uses something goes before it.
  await using resources = new AsyncDisposableStack();
  const db = openDatabase({ url, schema: NAME, applicationName: NAME, log });
  resources.defer(() => db.close());
  const transport = config.transport ?? connectOwnNats(config, resources);
  const relay = startRelay({ db, transport, source: NAME, telemetry });
  resources.defer(() => relay.stop());
  const effects = [effect(WorkspaceDeletedSchema, applyWorkspaceDeleted)];
  // Fewer than the pool has connections: a burst of events must not make requests wait.
  const consumer = startConsumer({ db, transport, name: NAME, effects, telemetry, concurrency: 4 });
  resources.defer(() => consumer.stop());
  const server = await startServer(config, db);
  resources.defer(() => server.stop());

  const running = resources.move();
  return { url: server.url, port: server.port, stop: () => running.disposeAsync() };
}

function connectOwnNats(config: IdentityServiceConfig, resources: AsyncDisposableStack): EventTransport {
  const { natsUrl: url, natsReplicas: replicas, telemetry } = config;
  const transport = connectNats({ url, clientName: NAME, replicas, telemetry });
  resources.defer(async () => transport.close());
  return transport;
}

function startServer(config: IdentityServiceConfig, db: Database) {
  const { host, port, serviceToken, workspaceUrl, telemetry } = config;
  const workspaces = createClient(DirectoryService, createServiceTransport({ url: workspaceUrl, serviceToken }));
  return startRpcServer({
    host,
    port,
    routes: routes({ db, workspaces }),
    services: SERVICES,
    authenticate: (bearer) => authenticate(db, bearer),
    organizationIsLive: async (organization) => (await selectLiveOrganization(db, organization)) !== undefined,
    serviceTokens: config.acceptedServiceTokens,
    checkReady: async () => {
      await db.query("select 1");
    },
    translate: (error) => (error instanceof DatabaseUnavailable ? fail(Reason.UNAVAILABLE, {}, error) : undefined),
    telemetry,
  });
}
