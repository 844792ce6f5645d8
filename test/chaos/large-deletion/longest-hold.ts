import type { SystemDatabases } from "../system/system-databases.ts";

/** Returns the age in milliseconds of the oldest transaction that locks the row of an organization; 0 if none does. */
export async function longestHold({ query }: SystemDatabases): Promise<number> {
  return (await query<{ ms: number }>(selectAge))[0]?.ms ?? 0;
}

const selectAge = `
  select coalesce(max(extract(epoch from clock_timestamp() - xact_start) * 1000), 0)::float8 as ms
  from pg_stat_activity
  join pg_locks using (pid)
  where application_name in ('environment', 'workspace') and mode in ('RowShareLock', 'RowExclusiveLock')
    and relation in ('environment.organizations'::regclass, 'workspace.organizations'::regclass)`;
