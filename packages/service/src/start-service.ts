import { fail } from "@cloud/access/errors";
import { type EventTransport, startConsumer, startRelay } from "@cloud/events";
import { connectNats } from "@cloud/events/nats";
import { type Database, DatabaseUnavailable, measurePools, openDatabase } from "@cloud/postgres";
import { PageTooLarge } from "@cloud/postgres/lists";
import { prepareForPooler } from "@cloud/postgres/migrations";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { RecordStateService } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { startRpcServer } from "@cloud/rpc";
import type { ConnectError } from "@connectrpc/connect";
import { commitSubject } from "./commit-signals.ts";
import { afterCommits, checkDatabase, traceDatabase } from "./database.ts";
import { createHeavyReads, DEFAULT_HEAVY_READS, type ServiceDatabase } from "./heavy-reads.ts";
import { type RateLimits, startRateLimits } from "./rate-limits.ts";
import { batchGetRecordStates } from "./records/batch-get-record-states-sql.ts";
import { createAuthorities } from "./references/owner.ts";
import { startReconciler } from "./references/start-reconciler.ts";
import { createRetentionJob } from "./retention.ts";
import { migrateSchema } from "./run-service.ts";
import type { Components, RunningService, ServiceConfig, ServiceDefinition } from "./service-config.ts";

/**
 * Events applied at a time. On an overloaded machine, events get CPU in proportion to their statements: with 4, a
 * backlog of 2,400 effects was processed at 40 a second next to 100 requests a second.
 */
const EVENT_CONCURRENCY = 8;

/** Connections to Postgres. Events have their own, so that they never delay a request; idle ones close after 30 s. */
const REQUEST_CONNECTIONS = 10;
const EVENT_CONNECTIONS = EVENT_CONCURRENCY + 1;
/** The connections that a replica opens at most; one of them only with rate limits. */
export const MAX_REPLICA_CONNECTIONS = REQUEST_CONNECTIONS + EVENT_CONNECTIONS + 1;

/** Migrates or checks the schema, then serves. Waits for a Postgres that is starting; does not need peers or NATS. */
export async function startService<Peer extends string>(
  parts: ServiceDefinition<Peer>,
  config: ServiceConfig,
): Promise<RunningService> {
  const { name } = parts.schema;
  const { telemetry, databaseUrl: url, pooler, migration } = config;
  const { log, conditions } = telemetry;
  await migrateSchema(parts.schema, { databaseUrl: pooler?.directUrl ?? url, migration, log });
  if (pooler !== undefined) await prepareForPooler({ url, pooler, schema: name, log });

  // Released in reverse order: users of a resource before the resource.
  await using resources = new AsyncDisposableStack();
  resources.defer(() => Object.values<{ close(): void }>(parts.peers).forEach((peer) => void peer.close()));
  const transport = config.transport ?? connectOwnNats(name, config, resources);
  const limits = { maxConnections: REQUEST_CONNECTIONS, ...config.databaseLimits };
  const pool = { url, pooler, schema: name, applicationName: name, log, ...limits, conditions };
  const pooled = openDatabase(pool);
  const heavyReads = createHeavyReads(config.heavyReads ?? DEFAULT_HEAVY_READS, telemetry);
  resources.defer(() => pooled.close());
  const relay = startRelay({
    db: pooled,
    transport,
    source: name,
    commitSubject: parts.signalsCommits ? commitSubject(name) : undefined,
    telemetry,
  });
  resources.defer(() => relay.stop());
  const announcing = (own: Database) => afterCommits(traceDatabase(own, telemetry.tracing), relay.wake);
  const db: ServiceDatabase = { ...announcing(pooled), heavyReads };
  const eventsDb = announcing(openDatabase({ ...pool, maxConnections: EVENT_CONNECTIONS }));
  resources.defer(() => eventsDb.close());
  measurePools(telemetry.metrics, { requests: pooled, events: eventsDb });
  const components = parts.build(db, createAuthorities(parts.peers, db, conditions), {
    onCommit: (listener) => transport.onSignal(commitSubject(name), listener),
  });
  const { effects } = components;
  const consumer = startConsumer({
    db: eventsDb,
    transport,
    name,
    effects,
    telemetry,
    concurrency: EVENT_CONCURRENCY,
  });
  resources.defer(() => consumer.stop());
  const { retention } = config;
  const purge = createRetentionJob({ db: pooled, logs: parts.schema.logs, retention, telemetry });
  const jobs = [...(components.jobs ?? []), purge];
  const reconciler = startReconciler({ db, ...components, jobs, transport, telemetry, ...config.reconciler });
  resources.defer(() => reconciler.stop());
  const rateLimits = startRateLimits({
    perToken: 0,
    perOrganization: 0,
    ...config.rateLimits,
    url,
    pooler,
    schema: name,
    telemetry,
  });
  resources.defer(() => rateLimits.stop());
  const server = await startServer(parts, components, config, db, rateLimits);
  resources.defer(() => server.stop());
  resources.defer(() => components.endStreams?.());

  const running = resources.move();
  return { ...server, stop: () => running.disposeAsync() };
}

function connectOwnNats(clientName: string, config: ServiceConfig, resources: AsyncDisposableStack): EventTransport {
  const { nats, natsReplicas: replicas, telemetry } = config;
  if (nats === undefined) throw new TypeError("a service needs nats or a transport");
  const transport = connectNats({ ...nats, clientName, replicas, telemetry });
  resources.defer(async () => transport.close());
  return transport;
}

function startServer<Peer extends string>(
  { services, owned }: ServiceDefinition<Peer>,
  { server }: Components,
  config: ServiceConfig,
  db: Database,
  { tokenLimit, countOrganization }: RateLimits,
) {
  return startRpcServer({
    host: config.host,
    port: config.port,
    services: [...services, RecordStateService],
    ...server,
    ...(tokenLimit === undefined ? {} : { tokenLimit }),
    ...(countOrganization === undefined ? {} : { countOrganization }),
    routes: (router) => {
      server.routes(router);
      router.service(RecordStateService, {
        batchGetRecordStates: (request) => batchGetRecordStates(db, owned, request),
      });
    },
    serviceCredentials: config.serviceCredentials,
    checkReady: () => checkDatabase(db),
    translate,
    tls: config.tls,
    corsOrigins: config.corsOrigins,
    ...(config.limits === undefined ? {} : { limits: config.limits }),
    ...(config.refusedEveryMs === undefined ? {} : { refusedEveryMs: config.refusedEveryMs }),
    telemetry: config.telemetry,
  });
}

function translate(error: unknown): ConnectError | undefined {
  if (error instanceof DatabaseUnavailable) return fail(Reason.UNAVAILABLE, {}, error);
  return error instanceof PageTooLarge ? fail(Reason.ANSWER_TOO_LARGE, {}, error) : undefined;
}
