import type { SystemDatabases } from "../../test/chaos/system/system-databases.ts";
import type { Recorder } from "../harness/figures.ts";

interface Size {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}

/** Records what the tables and their indexes take in Postgres, for a million rows. */
export async function measureSizes({ of }: SystemDatabases, recorder: Recorder): Promise<void> {
  for (const { name, rows, bytes } of await of.workspace<Size & Record<string, unknown>>(selectSizes)) {
    const size = { part: "growth", what: "size of a million rows", side: name, program: "postgres", unit: "MB" };
    recorder.record(size, [bytes / rows]);
  }
}

// Bytes for each row are megabytes for a million.
const selectSizes = `
  select relname as name, n_live_tup::float8 as rows, pg_total_relation_size(relid)::float8 as bytes
  from pg_stat_user_tables
  where schemaname = 'workspace' and n_live_tup >= 1000 and relname in ('workspaces', 'activity_events', 'assignments', 'designs')
  order by relname`;
