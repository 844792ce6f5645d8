import pg from "pg";
import type { System } from "../system/start-system.ts";

export interface EndedLinks {
  /**
   * When the link of a resource to a workspace was deleted, on the clock of `performance.now()`, by the resource's id.
   */
  readonly endedAt: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/**
 * Records deleted links from notifications that the database sends at the commit: polling would load the measured
 * system. Must be called before the links in question are deleted.
 */
export async function watchEndedLinks({ databaseUrl }: System): Promise<EndedLinks> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "watch-ended-links" });
  client.on("error", () => undefined);
  await client.connect();
  const endedAt = new Map<string, number>();
  client.on("notification", ({ payload = "" }) => void endedAt.set(payload, performance.now()));
  await client.query(notifyOfDeletedLinks);
  await client.query("listen ended_links");
  return { endedAt, close: () => client.end() };
}

const notifyOfDeletedLinks = `
  create schema if not exists watching;
  create or replace function watching.notify_deleted_link() returns trigger language plpgsql as $$
    begin
      perform pg_notify('ended_links', old.resource_id::text);
      return null;
    end
  $$;
  create or replace trigger notify_deleted_link after delete on workspace.assignments
    for each row execute function watching.notify_deleted_link()`;
