import { Counter, Gauge, type Registry } from "@cloud/runtime/telemetry";

/** The connections of a pool at this moment, and who waits for one. */
export interface PoolFigures {
  readonly used: number;
  readonly idle: number;
  /** The most connections that it opens. */
  readonly max: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
  /** Callers since the beginning that got no connection in time. */
  readonly timeouts: number;
}

const POOL = "db_client_connection_pool_name";
const STATE = "db_client_connection_state";

/** Measures pools by their names, with OpenTelemetry's names of metrics where promtool accepts them (docs/metrics.md). */
export function measurePools(metrics: Registry, pools: Readonly<Record<string, { figures(): PoolFigures }>>): void {
  const measure = (
    Metric: typeof Gauge | typeof Counter,
    { name, help, labelNames = [POOL] }: { name: string; help: string; labelNames?: readonly string[] },
    read: (figures: PoolFigures) => readonly (readonly [number, { readonly [STATE]?: string }?])[],
  ) =>
    new Metric({
      name,
      help,
      labelNames,
      registers: [metrics],
      collect() {
        this.reset();
        for (const [pool, database] of Object.entries(pools)) {
          for (const [value, labels] of read(database.figures())) this.inc({ [POOL]: pool, ...labels }, value);
        }
      },
    });
  const connections = { name: "db_client_connections", help: "Connections to Postgres, by state: used or idle." };
  measure(Gauge, { ...connections, labelNames: [POOL, STATE] }, ({ used, idle }) => [
    [used, { [STATE]: "used" }],
    [idle, { [STATE]: "idle" }],
  ]);
  const max = { name: "db_client_connection_max", help: "The most connections that a pool opens." };
  measure(Gauge, max, ({ max }) => [[max]]);
  const waiting = { name: "db_client_connection_pending_requests", help: "Callers that wait for a connection." };
  measure(Gauge, waiting, ({ waiting }) => [[waiting]]);
  const timeouts = {
    name: "db_client_connection_timeouts_total",
    help: "Callers that got no connection in time.",
  };
  measure(Counter, timeouts, ({ timeouts }) => [[timeouts]]);
}
