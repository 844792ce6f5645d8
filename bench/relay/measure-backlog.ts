import { setTimeout as delay } from "node:timers/promises";
import { seedLinkedRecords } from "../../test/chaos/linked-records/linked-records.ts";
import type { System } from "../../test/chaos/system/start-system.ts";
import type { SystemDatabases } from "../../test/chaos/system/system-databases.ts";
import { cpuMsOf } from "../harness/cpu-time.ts";
import { writeBacklog } from "./backlog.ts";

export interface BacklogFigures {
  readonly publishedPerSecond: number;
  readonly appliedPerSecond: number;
  /** Processor time per event of each program, in microseconds. */
  readonly cpu: Readonly<Record<string, number>>;
}

/**
 * Measures how fast a backlog of deletions leaves the outbox of the environment service, and how fast the workspace
 * service deletes the links: from the first to the last, by the clock of the database. Both at once, as after an outage
 * of NATS, or in turn, as after one of the workspace service.
 */
export async function measureBacklog(
  system: System,
  databases: SystemDatabases,
  { events, inTurn }: { readonly events: number; readonly inTurn: boolean },
): Promise<BacklogFigures> {
  const [environment] = system.services.environment;
  const [workspace] = system.services.workspace;
  await environment.stop();
  const records = await seedLinkedRecords(system, databases, { environments: events, teams: 0 });
  await writeBacklog(system, databases, records);
  if (inTurn) await workspace.stop();
  const before = inTurn ? 0 : cpuMsOf(workspace.pid() ?? 0);
  await environment.start(); // its processor time begins at 0
  if (inTurn) {
    await until(async () => (await databases.query(anyUnpublished)).length === 0);
    await workspace.start();
  }
  await until(async () => (await databases.query(anyLink, [records.workspaceId])).length === 0);
  const cpu = {
    environment: (1000 * cpuMsOf(environment.pid() ?? 0)) / events,
    workspace: (1000 * (cpuMsOf(workspace.pid() ?? 0) - before)) / events,
  };
  await databases.drained(60_000);
  const rate = async (text: string) => {
    const [row] = await databases.query<{ count: number; seconds: number }>(text, [records.workspaceId]);
    return (row?.count ?? 0) / (row?.seconds ?? 0);
  };
  return { publishedPerSecond: await rate(published), appliedPerSecond: await rate(applied), cpu };
}

/** Asks rarely: each look reads past all rows that were deleted before, on the cores that are measured. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(600_000);
  while (!(await condition())) await delay(500, undefined, { signal: deadline });
}

const anyUnpublished = "select from environment.outbox where published_at is null limit 1";
const anyLink = "select from workspace.assignments where workspace_id = $1 limit 1";

/** The lines of the log are written with the deletion of the links. */
const applied = `
  select count(*)::integer as count, extract(epoch from max(created_at) - min(created_at))::float8 as seconds
  from workspace.activity_events
  where workspace_id = $1 and metadata->>'reason' = 'deleted'`;

/** Counts the events written since the workspace of this backlog was created. */
const published = `
  select count(*)::integer as count, extract(epoch from max(published_at) - min(published_at))::float8 as seconds
  from environment.outbox
  where created_at >= (select created_at from workspace.workspaces where id = $1)`;
