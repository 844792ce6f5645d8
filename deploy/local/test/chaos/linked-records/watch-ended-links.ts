import pg from "pg";
import type { System } from "../system/start-system.ts";

export interface EndedLinks {
  /** When the link of a resource to a workspace was gone, as `performance.now()` tells time, by the resource's id. */
  readonly endedAt: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/**
 * Is told by the database itself, at the commit, that a link is gone: asking again and again would load the system that
 * is measured. To be called before the links that matter end.
 */
export async function watchEndedLinks({ databaseUrl }: System): Promise<EndedLinks> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "watch-ended-links" });
  client.on("error", () => undefined);
  await client.connect();
  const endedAt = new Map<string, number>();
  client.on("notification", ({ payload = "" }) => void endedAt.set(payload, performance.now()));
  await client.query(tellEndedLinks);
  await client.query("listen ended_links");
  return { endedAt, close: () => client.end() };
}

const tellEndedLinks = `
  create schema if not exists watching;
  create or replace function watching.tell_ended_link() returns trigger language plpgsql as $$
    begin
      perform pg_notify('ended_links', old.resource_id::text);
      return null;
    end
  $$;
  create or replace trigger tell_ended_link after delete on workspace.assignments
    for each row execute function watching.tell_ended_link()`;
