import {
  connectNats,
  type Effect,
  type EventTransport,
  messagingMigrations,
  startConsumer,
  startRelay,
} from "@cloud/messaging";
import { type Database, DatabaseUnavailable, migrate, openDatabase } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail, type RpcServerOptions, type ServiceTransport, startRpcServer } from "@cloud/rpc";
import { checkDatabase } from "./check-database.ts";
import type { ReferenceKind } from "./reconciler/reference-kind.ts";
import { startReconciler } from "./reconciler/start-reconciler.ts";
import type { RunningService, ServiceConfig } from "./service-config.ts";

/** What a service brings: everything else is the same for all. */
export interface ServiceParts {
  /** The owner of the events, of the database schema and of the durable consumers. */
  readonly name: string;
  /** The folder of its migrations. */
  readonly migrations: string;
  /** What it does on the events of others. */
  readonly effects: Effect[];
  readonly services: RpcServerOptions["services"];
  /** The connections to its peers: closed at the end. */
  readonly peers: readonly ServiceTransport[];
  readonly wire: (db: Database) => Wiring;
}

export interface Wiring {
  /** The handlers, and how a caller is found out. */
  readonly server: Pick<RpcServerOptions, "routes" | "authenticate" | "organizationIsLive">;
  /** The references to others' records that it keeps. */
  readonly references: readonly ReferenceKind[];
}

/** Fewer than the pool has connections (10): a burst of events must not make requests wait for one. */
const EVENTS_AT_ONCE = 4;

/** Brings the schema up to date, then serves. Waits for a Postgres that is starting; needs no peer and no NATS. */
export async function startService(parts: ServiceParts, config: ServiceConfig): Promise<RunningService> {
  const { name, effects } = parts;
  const { telemetry, databaseUrl: url } = config;
  const { log } = telemetry;
  await migrate({ url, schema: name, sources: [messagingMigrations, { folder: parts.migrations, name }], log });

  // Released in reverse order: whoever uses something goes before it.
  await using resources = new AsyncDisposableStack();
  resources.defer(() => parts.peers.forEach((peer) => void peer.close()));
  const db = openDatabase({ url, schema: name, applicationName: name, log });
  resources.defer(() => db.close());
  const transport = config.transport ?? connectOwnNats(name, config, resources);
  const relay = startRelay({ db, transport, source: name, telemetry });
  resources.defer(() => relay.stop());
  const consumer = startConsumer({ db, transport, name, effects, telemetry, concurrency: EVENTS_AT_ONCE });
  resources.defer(() => consumer.stop());
  const wiring = parts.wire(db);
  const reconciler = startReconciler({ kinds: wiring.references, transport, telemetry, ...config.reconciler });
  resources.defer(() => reconciler.stop());
  const server = await startServer(parts, wiring, config, db);
  resources.defer(() => server.stop());

  const running = resources.move();
  return { url: server.url, port: server.port, leave: server.leave, stop: () => running.disposeAsync() };
}

function connectOwnNats(clientName: string, config: ServiceConfig, resources: AsyncDisposableStack): EventTransport {
  const { natsUrl: url, natsReplicas: replicas, telemetry } = config;
  const transport = connectNats({ url, clientName, replicas, telemetry });
  resources.defer(async () => transport.close());
  return transport;
}

function startServer({ services }: ServiceParts, { server }: Wiring, config: ServiceConfig, db: Database) {
  return startRpcServer({
    host: config.host,
    port: config.port,
    services,
    ...server,
    serviceTokens: config.acceptedServiceTokens,
    checkReady: () => checkDatabase(db),
    translate: (error) => (error instanceof DatabaseUnavailable ? fail(Reason.UNAVAILABLE, {}, error) : undefined),
    telemetry: config.telemetry,
  });
}
