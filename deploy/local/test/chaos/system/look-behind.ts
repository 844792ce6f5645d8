import { waitFor } from "@cloud/testkit";
import { connect } from "nats";
import pg from "pg";
import { SERVICES, type System } from "./start-system.ts";

/** Reads the databases of a system past its programs, as its superuser. */
export interface Behind {
  query<Row extends pg.QueryResultRow>(text: string, params?: unknown[]): Promise<Row[]>;
  /** Waits until every event is published and every consumer has acknowledged all that there is for it. */
  drained(deadlineMs: number): Promise<void>;
  /** The links and selections that refer to records that are gone, by kind. All should be 0 once drained. */
  dangling(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

export function lookBehind(system: System): Behind {
  const pool = new pg.Pool({ connectionString: system.databaseUrl, max: 3, application_name: "look-behind" });
  pool.on("error", () => undefined);
  const query: Behind["query"] = async <Row extends pg.QueryResultRow>(text: string, params: unknown[] = []) =>
    (await pool.query<Row>(text, params)).rows;

  /** Events that the stream does not have: not published yet, or into an incarnation of it that was lost. */
  const unpublished = async (streamCreatedAt: string) => {
    const counts = SERVICES.map(
      (schema) => "select count(*) from " + schema + ".outbox where published_at is null or stream_created_at <> $1",
    );
    const text = "select sum(count) from (" + counts.join(" union all ") + ") all_of";
    const [row] = await query<{ sum: string }>(text, [streamCreatedAt]);
    return Number(row?.sum);
  };
  const isDrained = async () => {
    const { createdAt, unconsumed } = await readStream(system);
    return unconsumed === 0 && (await unpublished(createdAt)) === 0 && (await readStream(system)).unconsumed === 0;
  };
  return {
    query,
    drained: async (deadlineMs) => {
      await waitFor(async () => (await isDrained()) || undefined, { deadlineMs });
    },
    dangling: async () => {
      const rows = await query<{ kind: string; count: string }>(danglingLinks);
      return Object.fromEntries(rows.map(({ kind, count }) => [kind, Number(count)]));
    },
    close: () => pool.end(),
  };
}

/** How many references the reconcilers ended in all lives of the programs: the event path alone should leave none. */
export function repairs({ programs }: System): number {
  const lines = programs.flatMap((program) => program.log());
  const told = lines.filter(({ msg }) => msg === "references to records that are gone were ended");
  return told.reduce((sum, { repaired }) => sum + Number(repaired), 0);
}

/** `unconsumed`: messages that a durable has not had yet, or that were delivered and not acknowledged. */
async function readStream(system: System): Promise<{ createdAt: string; unconsumed: number }> {
  const connection = await connect({ servers: system.nats.url, reconnect: false, timeout: 2000 });
  try {
    const jsm = await connection.jetstreamManager();
    const { created: createdAt } = await jsm.streams.info("CLOUD_EVENTS");
    const consumers = await jsm.consumers.list("CLOUD_EVENTS").next();
    const unconsumed = consumers.reduce(
      (sum, { num_pending, num_ack_pending }) => sum + num_pending + num_ack_pending,
      0,
    );
    return { createdAt, unconsumed };
  } finally {
    await connection.close();
  }
}

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
