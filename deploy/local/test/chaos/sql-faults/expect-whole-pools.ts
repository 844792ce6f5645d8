import { waitFor } from "@cloud/testkit";
import { expect } from "@jest/globals";
import pg from "pg";
import { everybody } from "../../rest.ts";
import type { Behind } from "../system/look-behind.ts";
import { SERVICES, type System } from "../system/start-system.ts";

/** What a service needs for a list, and the list. */
const LISTS = {
  identity: { table: "identity.tokens", path: "/identity/users/profile?orgId=" },
  environment: { table: "environment.environments", path: "/environments?orgId=" },
  workspace: { table: "workspace.workspaces", path: "/workspaces?orgId=" },
} as const;

/** A service's pool has so many connections. */
const POOL = 10;

/**
 * Every connection of every pool still works: with a table locked, as many requests wait in Postgres as a pool has
 * connections, and all are answered once it is free. And nobody sits in a transaction that is over.
 */
export async function expectWholePools({ databaseUrl, demo }: System, { query }: Behind): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "locks" });
  await client.connect();
  // Not on the connection that locks: a transaction sees the same sessions whenever it looks.
  const count = async (where: string, service: string) => {
    const text = "select count(*)::integer as count from pg_stat_activity where application_name = $1 and " + where;
    return (await query<{ count: number }>(text, [service]))[0]?.count;
  };
  try {
    for (const service of SERVICES) {
      const idle = async () => ((await count("state like 'idle in transaction%'", service)) === 0 ? true : undefined);
      await waitFor(idle, { deadlineMs: 2_000 });

      const { table, path } = LISTS[service];
      await client.query("begin");
      await client.query("lock table " + table + " in access exclusive mode");
      const { orgAdmin } = everybody(demo);
      const answers = Promise.all(
        Array.from({ length: 2 * POOL }, () => orgAdmin.get(path + demo.organizations[0]?.id)),
      );
      const all = async () => ((await count("wait_event_type = 'Lock'", service)) === POOL ? true : undefined);
      await waitFor(all, { deadlineMs: 5_000 }).finally(() => client.query("rollback"));
      expect((await answers).map(({ status }) => status)).toEqual(Array(2 * POOL).fill(200));
    }
  } finally {
    await client.end();
  }
}
