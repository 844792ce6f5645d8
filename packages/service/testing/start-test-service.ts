import type { DescService } from "@bufbuild/protobuf";
import type { ServiceCallerName } from "@cloud/access";
import { createInProcessTransport } from "@cloud/local-servers";
import { type Database, openDatabase } from "@cloud/postgres";
import { createTestDatabase, testTelemetry } from "@cloud/testkit";
import { startPgbouncer } from "@cloud/testkit/faults";
import { DEFAULT_HEAVY_READS } from "../src/heavy-reads.ts";
import type { RunningService, ServiceConfig } from "../src/service-config.ts";
import { type ClientsOf, createClients } from "./create-clients.ts";
import { credentialOf, SERVICE_CREDENTIALS } from "./credentials.ts";

const PATIENCE = { connectTimeoutMs: 30_000, statementTimeoutMs: 30_000, maxConnections: 4 };

export interface TestServiceOptions<Services> {
  /** Names its database schema and its credential. */
  readonly name: Exclude<ServiceCallerName, "operator">;
  /** The RPC services that `as` creates clients of, by the names of the clients. */
  readonly services: Services;
  /** Starts the service; adds the URLs of its peers to the configuration. */
  readonly start: (config: ServiceConfig) => Promise<RunningService>;
  /** The URL of NATS; an in-process transport carries the events if absent. */
  readonly natsUrl?: string;
}

export interface TestService<Clients> {
  readonly url: string;
  /** A second pool on the service's schema, with the service's own role, to inspect its tables and to hold locks. */
  readonly db: Database;
  /** A pool like `db` of the owner of the schema, who may change it. */
  readonly ownerDb: Database;
  /** Returns the service's metrics as Prometheus reads them. */
  metrics(): Promise<string>;
  /** Creates clients that send the token. */
  as(token: string): Clients;
  stop(): Promise<void>;
}

/** Starts a real service in this process, on a free port and a database of its own. */
export async function startTestService<Services extends Readonly<Record<string, DescService>>>({
  name,
  services,
  start,
  natsUrl,
}: TestServiceOptions<Services>): Promise<TestService<ClientsOf<Services>>> {
  await using resources = new AsyncDisposableStack();
  const telemetry = testTelemetry();
  const database = await createTestDatabase(name);
  resources.defer(() => database.drop());
  // `npm run test:pooled`
  const isPooled = process.env["THROUGH_PGBOUNCER"] === "1";
  const pgbouncer = isPooled ? await startPgbouncer([database.url], { pool_mode: "transaction" }) : undefined;
  resources.defer(() => pgbouncer?.stop());
  const service = await start({
    host: "127.0.0.1",
    port: 0,
    databaseUrl: pgbouncer?.through(database.url) ?? database.url,
    pooler: pgbouncer && { directUrl: database.url, keepsStatements: false },
    migration: { run: true, ownerUrl: database.ownerUrl },
    natsReplicas: 1,
    serviceToken: credentialOf(name),
    serviceCredentials: SERVICE_CREDENTIALS,
    // A busy machine is no reason to refuse a search, or to give up a lock.
    heavyReads: { ...DEFAULT_HEAVY_READS, maxQueue: 1000, maxWaitMs: 60_000 },
    databaseLimits: PATIENCE,
    telemetry,
    ...(natsUrl === undefined ? { transport: createInProcessTransport(telemetry) } : { nats: { url: natsUrl } }),
  });
  resources.defer(() => service.stop());
  const pool = { schema: name, applicationName: "test", log: telemetry.log, ...PATIENCE };
  const db = openDatabase({ ...pool, url: database.url });
  resources.defer(() => db.close());
  const ownerDb = openDatabase({ ...pool, url: database.ownerUrl });
  resources.defer(() => ownerDb.close());

  const running = resources.move();
  return {
    url: service.url,
    db,
    ownerDb,
    metrics: () => telemetry.metrics.metrics(),
    as: (token) => createClients(services, service.url, token),
    stop: () => running.disposeAsync(),
  };
}
