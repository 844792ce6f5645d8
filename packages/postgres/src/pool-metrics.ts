import { Counter, Gauge, type Registry } from "@cloud/runtime/telemetry";
import type { Pool } from "pg";

/** The registry of a pool's metrics, and its name in them. */
export interface MeasuredPool {
  readonly metrics: Registry;
  readonly name: string;
}

/** The metrics of all pools of a program, by OpenTelemetry's names where promtool accepts them (docs/metrics.md). */
interface PoolMetrics {
  readonly pools: Map<string, Pool>;
  readonly timeouts: Counter<typeof POOL>;
}

const POOL = "db_client_connection_pool_name";
const STATE = "db_client_connection_state";

const known = new WeakMap<Registry, PoolMetrics>();

/** Measures a pool until it is closed. Returns the function that counts a caller who has waited in vain. */
export function measurePool(pool: Pool, { metrics, name }: MeasuredPool): { onTimeout(): void; stop(): void } {
  const { pools, timeouts } = known.get(metrics) ?? createPoolMetrics(metrics);
  pools.set(name, pool);
  const counted = timeouts.labels(name);
  counted.inc(0);
  return {
    onTimeout: () => counted.inc(),
    stop: () => {
      if (pools.get(name) === pool) pools.delete(name);
    },
  };
}

function createPoolMetrics(metrics: Registry): PoolMetrics {
  const pools: PoolMetrics["pools"] = new Map();
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    set: (gauge: Gauge<Label>, name: string, pool: Pool) => void,
  ) =>
    new Gauge<Label>({
      name,
      help,
      labelNames,
      registers: [metrics],
      collect() {
        this.reset();
        for (const [poolName, pool] of pools) set(this, poolName, pool);
      },
    });
  gauge(
    "db_client_connections",
    "Connections to Postgres, by state: used or idle.",
    [POOL, STATE],
    (all, name, pool) => {
      all.set({ [POOL]: name, [STATE]: "used" }, pool.totalCount - pool.idleCount);
      all.set({ [POOL]: name, [STATE]: "idle" }, pool.idleCount);
    },
  );
  gauge("db_client_connection_max", "The most connections that a pool opens.", [POOL], (all, name, pool) =>
    all.set({ [POOL]: name }, pool.options.max),
  );
  gauge("db_client_connection_pending_requests", "Callers that wait for a connection.", [POOL], (all, name, pool) =>
    all.set({ [POOL]: name }, pool.waitingCount),
  );
  const timeouts = new Counter({
    name: "db_client_connection_timeouts_total",
    help: "Callers that got no connection in time, or that too many others waited before.",
    labelNames: [POOL] as const,
    registers: [metrics],
  });
  const created = { pools, timeouts };
  known.set(metrics, created);
  return created;
}
