import { setTimeout as delay } from "node:timers/promises";
import { newId } from "@cloud/access/values";
import type { Random } from "@cloud/testkit/figures";
import pg from "pg";

export interface Writing {
  readonly databaseUrl: string;
  readonly workspaceIds: readonly [string, ...string[]];
  readonly organizationId: string;
  /** The least number of events of all writers together. */
  readonly events: number;
  /** The signal whose abort stops the writers. */
  readonly until: AbortSignal;
  readonly writers: number;
  readonly random: Random;
}

const INSERT = `
  insert into workspace.activity_events
    (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind)
  select line, $2, $3, '', 'update', 'success', 'a line', '', ''
  from unnest($1::uuid[]) line`;

/**
 * Writes lines of the log as the service does, in transactions of 1 to 5. One in ten stays open for up to 300 ms after
 * it has written, so that others that began later commit before it; one in thirty is rolled back.
 */
export async function writeEvents({
  databaseUrl,
  workspaceIds,
  organizationId,
  events,
  until,
  writers,
  random,
}: Writing): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: writers });
  let left = events;
  const write = async () => {
    while (left > 0 || !until.aborted) {
      const ids = Array.from({ length: random.between(1, 5) }, () => newId());
      const isKept = !random.chance(3);
      if (isKept) left -= ids.length;
      const client = await pool.connect();
      await client.query("begin");
      await client.query(INSERT, [ids, random.pick(workspaceIds), organizationId]);
      if (random.chance(10)) await delay(random.between(10, 300));
      await client.query(isKept ? "commit" : "rollback");
      client.release();
      await delay(random.between(0, 200));
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  await pool.end();
}
