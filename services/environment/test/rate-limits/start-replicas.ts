import { type Database, sql } from "@cloud/postgres";
import type { RunningService, ServiceConfig } from "@cloud/service";
import {
  type Callers,
  callersOf,
  type IdentityPeer,
  startIdentityPeer,
  startTestService,
} from "@cloud/service/testing";
import { testTelemetry } from "@cloud/testkit";
import { startEnvironmentService } from "../../src/service.ts";
import { type Clients, clientsFor } from "../fixture.ts";

export interface Replica extends Callers<Clients> {
  readonly url: string;
  /** Its metrics, in the format of Prometheus. */
  metrics(): Promise<string>;
}

export interface Replicas extends AsyncDisposable {
  readonly replicas: readonly [Replica, Replica];
  readonly identity: IdentityPeer;
  /** The database that they share. */
  readonly db: Database;
  /** The sums in the database, by key. */
  sums(): Promise<Record<string, number>>;
  /** Their clock, in milliseconds since 1970; a test may move it. */
  readonly clock: { now: number };
}

/** Starts two replicas of the service on one database, one second after the begin of a window. */
export async function startReplicas(limits: ServiceConfig["rateLimits"]): Promise<Replicas> {
  await using resources = new AsyncDisposableStack();
  const clock = { now: Math.floor(Date.now() / 60_000) * 60_000 + 1_000 };
  const identity = await startIdentityPeer();
  resources.defer(() => identity.stop());
  const replicas: Replica[] = [];
  const startOne = async (config: ServiceConfig): Promise<RunningService> => {
    const telemetry = testTelemetry();
    const rateLimits = limits && { now: () => clock.now, ...limits };
    const running = await startEnvironmentService({
      ...config,
      telemetry,
      ...(rateLimits && { rateLimits }),
      identityUrl: identity.url,
    });
    const callers = callersOf((token) => clientsFor(running.url, token));
    replicas.push({ ...callers, url: running.url, metrics: () => telemetry.metrics.metrics() });
    return running;
  };
  const { db, stop } = await startTestService({
    name: "environment",
    services: {},
    start: async (config) => {
      const [first, second] = [await startOne(config), await startOne(config)];
      return { ...first, stop: async () => void (await Promise.all([first.stop(), second.stop()])) };
    },
  });
  resources.defer(stop);
  const sums = async () => {
    const select = sql`
      select key, used
      from rate_limit_usage
      order by key`;
    const { rows } = await db.query<{ key: string; used: number }>(select);
    return Object.fromEntries(rows.map(({ key, used }) => [key, used]));
  };
  const running = resources.move();
  return {
    replicas: replicas as [Replica, Replica],
    identity,
    db,
    sums,
    clock,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
