import { type Database, statement } from "@cloud/postgres";
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
  /** The metrics of the replica, in the format of Prometheus. */
  metrics(): Promise<string>;
}

export interface Replicas extends AsyncDisposable {
  readonly replicas: readonly [Replica, Replica];
  readonly identity: IdentityPeer;
  /** The database that they share. */
  readonly db: Database;
  /** The sums in the database, by key. */
  sums(): Promise<Record<string, number>>;
}

/** Starts two replicas of the service on one database. */
export async function startReplicas(limits: ServiceConfig["rateLimits"]): Promise<Replicas> {
  await using resources = new AsyncDisposableStack();
  const identity = await startIdentityPeer();
  resources.defer(() => identity.stop());
  const replicas: Replica[] = [];
  const startOne = async (config: ServiceConfig): Promise<RunningService> => {
    const telemetry = testTelemetry();
    const running = await startEnvironmentService({
      ...config,
      telemetry,
      // On a slow machine a statement may take longer than in production.
      ...(limits && { rateLimits: { maxWaitMs: 20_000, ...limits } }),
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
    const select = statement<{ key: string; points: number }>`
      select key, points
      from rate_limits
      order by key`;
    const { rows } = await db.read(select);
    return Object.fromEntries(rows.map(({ key, points }) => [key, points]));
  };
  const running = resources.move();
  return {
    replicas: replicas as [Replica, Replica],
    identity,
    db,
    sums,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
