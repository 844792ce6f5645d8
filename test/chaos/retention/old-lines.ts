import { randomUUID } from "node:crypto";
import type { SystemDatabases } from "../system/system-databases.ts";

/** Inserts lines of the activity log, each a minute older than the one before, the youngest 400 days old. */
export async function insertOldLines({ of }: SystemDatabases, lines: number): Promise<void> {
  // Ids as the service creates them: the time in milliseconds, and then chance.
  await of.workspace(
    `insert into workspace.activity_events
       (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind, created_at)
     select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
         || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid,
       $1, $1, '', 'update', 'success', 'a line of the log', '', '', at
     from (
       select now() - interval '400 days' - n * interval '1 minute' as at
       from generate_series(1, ${lines}) n
       order by n desc
     ) lines`,
    [randomUUID()],
  );
}

/** Counts the lines that a purge with LOG_DAYS=365 deletes, and the others. */
export async function countLines({ of }: SystemDatabases): Promise<{ old: number; young: number }> {
  const [row] = await of.workspace<{ old: number; young: number }>(
    `select count(*) filter (where created_at < now() - interval '365 days')::integer as old,
       count(*) filter (where created_at >= now() - interval '365 days')::integer as young
     from workspace.activity_events`,
  );
  return row ?? { old: 0, young: 0 };
}
