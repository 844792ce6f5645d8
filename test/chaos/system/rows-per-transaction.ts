import type { SystemDatabases } from "./system-databases.ts";

/** The rows that the transactions of a run have changed. */
export interface ChangedRows {
  /** Returns the largest number of rows of one transaction. */
  max(): Promise<number>;
  /** Forgets all transactions so far. */
  forget(): Promise<void>;
}

/** Counts the rows that each transaction changes from now on. Rolled back transactions do not count. */
export async function countRowsPerTransaction(
  { query }: SystemDatabases,
  trigger: keyof typeof TRIGGERS,
): Promise<ChangedRows> {
  await query(COUNTING);
  await query(TRIGGERS[trigger]);
  return {
    max: async () => (await query<{ max: number }>(selectMost))[0]?.max ?? 0,
    forget: async () => void (await query("truncate watching.changed_rows")),
  };
}

const COUNTING = `
  create schema if not exists watching;
  create table watching.changed_rows (transaction xid8, count integer);
  create function watching.count_changed() returns trigger language plpgsql security definer as $$
    begin
      insert into watching.changed_rows
      select pg_current_xact_id(), count(*)
      from changed;
      return null;
    end
  $$`;

const TRIGGERS = {
  /** Lines of the activity log that are deleted. */
  lines: `
    create trigger count_changed after delete on workspace.activity_events
      referencing old table as changed
      for each statement execute function watching.count_changed()`,
  /** Environments that are changed, such as deleted. */
  environments: `
    create trigger count_changed after update on environment.environments
      referencing new table as changed
      for each statement execute function watching.count_changed()`,
};

const selectMost = `
  select coalesce(max(rows), 0)::integer as max
  from (
    select sum(count) as rows
    from watching.changed_rows
    group by transaction
  ) transactions`;
