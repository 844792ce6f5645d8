import { connectToNats, waitFor } from "@cloud/testkit";
import pg from "pg";
import { SERVICES, type ServiceName, type System } from "./start-system.ts";

export type Query = <Row extends pg.QueryResultRow>(text: string, params?: unknown[]) => Promise<Row[]>;

/** Reads the databases of a system directly, as their superuser. */
export interface SystemDatabases {
  /** Queries the database that all services share. */
  readonly query: Query;
  /** Queries the database of each service, which is the same one if they share it. */
  readonly of: Readonly<Record<ServiceName, Query>>;
  /** Waits until every event is published and every consumer has acknowledged all its messages. */
  drained(deadlineMs: number): Promise<void>;
  /** Counts the links and selections of deleted records, by kind. All should be 0 once drained. Shared only. */
  dangling(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

export function openDatabases(system: System): SystemDatabases {
  const pools = SERVICES.map((name) => openPool(system.superuserUrls[name]));
  const [identity, environment, workspace] = pools.map(queryOf) as [Query, Query, Query];
  const of = { identity, environment, workspace };

  /** Events that the stream does not have: not yet published, or published to an incarnation of it that was lost. */
  const unpublished = async (streamCreatedAt: string) => {
    const counts = SERVICES.map(async (name) => {
      const [row] = await of[name]<{ count: string }>(countUnpublished[name], [streamCreatedAt]);
      return Number(row?.count);
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };
  const isDrained = async () => {
    const { createdAt, unconsumed } = await readStream(system);
    return unconsumed === 0 && (await unpublished(createdAt)) === 0 && (await readStream(system)).unconsumed === 0;
  };
  return {
    get query() {
      void system.databaseUrl; // throws if they share none
      return identity;
    },
    of,
    drained: async (deadlineMs) => {
      await waitFor(async () => (await isDrained()) || undefined, { deadlineMs });
    },
    dangling: async () => {
      const rows = await identity<{ kind: string; count: string }>(danglingLinks);
      return Object.fromEntries(rows.map(({ kind, count }) => [kind, Number(count)]));
    },
    close: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
  };
}

function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 3, application_name: "test" });
  pool.on("error", () => undefined);
  return pool;
}

const queryOf =
  (pool: pg.Pool): Query =>
  async <Row extends pg.QueryResultRow>(text: string, params: unknown[] = []) =>
    (await pool.query<Row>(text, params)).rows;

/** Logged by a reconciler that deleted references. */
export const REPAIRED = "references to deleted records were ended";

/**
 * Returns the references that the reconcilers deleted in all runs of the programs, by kind. There are none if the
 * events alone deleted them.
 */
export function repaired({ programs }: System): { kind: unknown; count: number }[] {
  const lines = programs.flatMap((program) => program.log()).filter(({ msg }) => msg === REPAIRED);
  return lines.map(({ kind, repaired }) => ({ kind, count: Number(repaired) }));
}

/** Returns the number of references that the reconcilers deleted. */
export function repairs(system: System): number {
  return repaired(system).reduce((sum, { count }) => sum + count, 0);
}

/** `unconsumed`: messages that a durable has not delivered, or that were delivered and not acknowledged. */
async function readStream(system: System): Promise<{ createdAt: string; unconsumed: number }> {
  const connection = await connectToNats(system.nats.url, { reconnect: false, timeout: 2000 });
  try {
    const jsm = await connection.jetstreamManager();
    const { created: createdAt, state } = await jsm.streams.info("CLOUD_EVENTS");
    const consumers = await jsm.consumers.list("CLOUD_EVENTS").next();
    const { consumer_count: all } = state;
    if (consumers.length < all) throw new Error(`${consumers.length} of ${all} durables responded`);
    const unconsumed = consumers.reduce(
      (sum, { num_pending, num_ack_pending }) => sum + num_pending + num_ack_pending,
      0,
    );
    return { createdAt, unconsumed };
  } finally {
    await connection.close();
  }
}

const countUnpublished = {
  identity: `
    select count(*)
    from identity.outbox
    where published_at is null or stream_created_at <> $1`,
  environment: `
    select count(*)
    from environment.outbox
    where published_at is null or stream_created_at <> $1`,
  workspace: `
    select count(*)
    from workspace.outbox
    where published_at is null or stream_created_at <> $1`,
};

const danglingLinks = `
  select 'workspace-' || a.kind as kind, count(*) from workspace.assignments a
    where not exists (select from workspace.workspaces w where w.id = a.workspace_id and w.deleted_at is null)
      or (a.kind = 'environment' and not exists
        (select from environment.environments e where e.id = a.resource_id and e.deleted_at is null))
      or (a.kind = 'team' and not exists
        (select from identity.teams t where t.id = a.resource_id and t.deleted_at is null))
      or (a.kind = 'design' and not exists
        (select from workspace.designs d where d.id = a.resource_id and d.deleted_at is null))
      or (a.kind = 'view' and not exists
        (select from workspace.views v where v.id = a.resource_id and v.deleted_at is null))
    group by a.kind
  union all
  select 'environment-connection', count(*) from environment.environment_connections l
    where not exists (select from environment.environments e where e.id = l.environment_id and e.deleted_at is null)
      or not exists (select from environment.connections c where c.id = l.connection_id and c.deleted_at is null)
    having count(*) > 0
  union all
  select 'selected-workspace', count(*) from identity.preferences p
    where p.selected_workspace is not null
      and not exists (select from workspace.workspaces w where w.id = p.selected_workspace and w.deleted_at is null)
    having count(*) > 0`;
