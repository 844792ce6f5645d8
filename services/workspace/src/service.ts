import { fileURLToPath } from "node:url";
import { connectNats, type EventTransport, messagingMigrations, startConsumer, startRelay } from "@cloud/messaging";
import { type Database, DatabaseUnavailable, migrate, openDatabase } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import { createAuthenticator, createServiceTransport, fail, startRpcServer } from "@cloud/rpc";
import type { Telemetry } from "@cloud/telemetry";
import { createClient } from "@connectrpc/connect";
import { environmentDeleted } from "./consumers/environment-deleted.ts";
import { organizationCreated } from "./consumers/organization-created.ts";
import { organizationDeleted } from "./consumers/organization-deleted.ts";
import { teamDeleted } from "./consumers/team-deleted.ts";
import type { Context } from "./context.ts";
import { registerRoutes, services } from "./routes.ts";

export interface ServiceConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly databaseUrl: string;
  /** Empty where `transport` is given. */
  readonly natsUrl: string;
  readonly natsReplicas: number;
  /** What this service shows to its peers. */
  readonly serviceToken: string;
  /** What it accepts from them. */
  readonly acceptedServiceTokens: readonly string[];
  readonly identityUrl: string;
  readonly environmentUrl: string;
  readonly telemetry: Telemetry;
  /** Instead of NATS. Belongs to the caller, who closes it. */
  readonly transport?: EventTransport;
}

export interface RunningService {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** The owner of the events, of the database schema and of the durable consumer. */
const NAME = "workspace";

const effects = [organizationCreated, organizationDeleted, environmentDeleted, teamDeleted];

/** Builds what the service stands on, and serves. Waits for a Postgres that is starting; needs no peer to start. */
export async function startWorkspaceService(config: ServiceConfig): Promise<RunningService> {
  const { telemetry, databaseUrl: url } = config;
  const { log } = telemetry;
  const sources = [
    messagingMigrations,
    { folder: fileURLToPath(new URL("../migrations", import.meta.url)), name: NAME },
  ];
  await migrate({ url, schema: NAME, sources, log });

  // Released in reverse order: whoever uses something goes before it.
  await using resources = new AsyncDisposableStack();
  const db = openDatabase({ url, schema: NAME, applicationName: NAME, log });
  resources.defer(() => db.close());
  const transport = config.transport ?? connectOwnNats(config, resources);
  const relay = startRelay({ db, transport, source: NAME, telemetry });
  resources.defer(() => relay.stop());
  const consumer = startConsumer({ db, transport, name: NAME, effects, telemetry });
  resources.defer(() => consumer.stop());
  const server = await startServer(config, db);
  resources.defer(() => server.stop());

  const running = resources.move();
  return { url: server.url, port: server.port, stop: () => running.disposeAsync() };
}

function connectOwnNats(config: ServiceConfig, resources: AsyncDisposableStack): EventTransport {
  const { natsUrl: url, natsReplicas: replicas, telemetry } = config;
  const transport = connectNats({ url, clientName: NAME, replicas, telemetry });
  resources.defer(async () => transport.close());
  return transport;
}

async function startServer(config: ServiceConfig, db: Database) {
  const identity = createServiceTransport({ url: config.identityUrl, serviceToken: config.serviceToken });
  const authenticator = createAuthenticator({ identity });
  const environment = createServiceTransport({ url: config.environmentUrl, serviceToken: config.serviceToken });
  const context: Context = {
    db,
    identity: createClient(IdentityDirectory, identity),
    environment: createClient(EnvironmentDirectory, environment),
    log: config.telemetry.log,
  };
  return startRpcServer({
    host: config.host,
    port: config.port,
    routes: (router) => registerRoutes(router, context),
    services,
    authenticate: authenticator.authenticate,
    organizationIsLive: authenticator.organizationIsLive,
    serviceTokens: config.acceptedServiceTokens,
    checkReady: async () => {
      await db.query("select 1");
    },
    translate: (error) => (error instanceof DatabaseUnavailable ? fail(Reason.UNAVAILABLE, {}, error) : undefined),
    telemetry: config.telemetry,
  });
}
