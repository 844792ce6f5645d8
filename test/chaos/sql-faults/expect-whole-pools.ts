import { sql } from "@cloud/postgres";
import { waitFor } from "@cloud/testkit";
import { expect } from "@jest/globals";
import pg from "pg";
import { type RestCalls, restClients } from "../../e2e/rest.ts";
import { SERVICES, type System } from "../system/start-system.ts";
import type { SystemDatabases } from "../system/system-databases.ts";

/** Requests that need a connection each, because they share no statement, and a table that they need. */
const REQUESTS = {
  identity: { table: sql`identity.tokens`, request: getProfile },
  environment: { table: sql`environment.environments`, request: create("/environments") },
  workspace: { table: sql`workspace.workspaces`, request: create("/workspaces") },
} as const;

function getProfile(client: RestCalls, organizationId: string) {
  return client.get("/identity/users/profile?orgId=" + organizationId);
}

function create(path: string) {
  return (client: RestCalls, organizationId: string) => client.post(path, { organizationId, name: "of a whole pool" });
}

/** Size of a service's pool. */
const POOL = 10;

/**
 * Checks that every connection of every pool still works: with a table locked, as many requests wait in Postgres as a
 * pool has connections, and all succeed once it is released. And no connection is idle in a finished transaction.
 */
export async function expectWholePools({ databaseUrl, demo }: System, { query }: SystemDatabases): Promise<void> {
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

      const { table, request } = REQUESTS[service];
      await client.query("begin");
      await client.query(sql`lock table ${table} in access exclusive mode`);
      const { orgAdmin } = restClients(demo);
      const organizationId = demo.organizations[0]?.id ?? "";
      const replies = Promise.all(Array.from({ length: 2 * POOL }, () => request(orgAdmin, organizationId)));
      const all = async () => ((await count("wait_event_type = 'Lock'", service)) === POOL ? true : undefined);
      await waitFor(all, { deadlineMs: 5_000 }).finally(() => client.query("rollback"));
      const statuses = (await replies).map(({ status }) => status);
      expect(new Set(statuses.map((status) => Math.floor(status / 100)))).toEqual(new Set([2]));
    }
  } finally {
    await client.end();
  }
}
