import { sql } from "@cloud/postgres";
import { waitFor } from "@cloud/testkit";
import { expect } from "@jest/globals";
import pg from "pg";
import { restClients } from "../../rest.ts";
import type { Behind } from "../system/look-behind.ts";
import { SERVICES, type System } from "../system/start-system.ts";

/** The tables that each list of a service needs. */
const LISTS = {
  identity: { table: sql`identity.tokens`, path: "/identity/users/profile?orgId=" },
  environment: { table: sql`environment.environments`, path: "/environments?orgId=" },
  workspace: { table: sql`workspace.workspaces`, path: "/workspaces?orgId=" },
} as const;

/** Size of a service's pool. */
const POOL = 10;

/**
 * Checks that every connection of every pool still works: with a table locked, as many requests wait in Postgres as a
 * pool has connections, and all succeed once it is released. And no connection is idle in a finished transaction.
 */
export async function expectWholePools({ databaseUrl, demo }: System, { query }: Behind): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "locks" });
  await client.connect();
  // Not on the connection that holds the lock: a transaction always sees the same sessions.
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
      await client.query(sql`lock table ${table} in access exclusive mode`);
      const { orgAdmin } = restClients(demo);
      const replies = Promise.all(
        Array.from({ length: 2 * POOL }, () => orgAdmin.get(path + demo.organizations[0]?.id)),
      );
      const all = async () => ((await count("wait_event_type = 'Lock'", service)) === POOL ? true : undefined);
      await waitFor(all, { deadlineMs: 5_000 }).finally(() => client.query("rollback"));
      expect((await replies).map(({ status }) => status)).toEqual(Array(2 * POOL).fill(200));
    }
  } finally {
    await client.end();
  }
}
