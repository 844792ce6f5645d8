import { randomBytes } from "node:crypto";
import { createDatabase, dropDatabase, urlFor } from "@cloud/local-servers";
import { sql } from "@cloud/postgres";
import pg from "pg";
import { currentTestRun, noteOpened } from "./test-run.ts";
import { waitFor } from "./wait-for.ts";

export interface TestDatabase {
  /** Connects as the owner of the schema, without rights on anything else. */
  ownerUrl: string;
  /** Connects as the role of a program, which has the rights that the owner grants it. */
  url: string;
  /** Connects as superuser to the same database, to inspect or break what the role cannot. */
  superuserUrl: string;
  /** Deletes database and roles. @throws Error if a connection to it was left open */
  drop(): Promise<void>;
}

/**
 * Creates a database in the Postgres of this jest run, with one empty schema, its owner and a role for a program. A
 * connection that is still there `graceMs` milliseconds after `drop` began was left open: a pool says that it is closed
 * before its connections are, and one that was forgotten closes an idle connection after 30 s.
 */
export async function createTestDatabase(schema = "test", { graceMs = 10_000 } = {}): Promise<TestDatabase> {
  const { postgresUrl } = currentTestRun();
  const name = `test_${randomBytes(6).toString("hex")}`;
  const noteClosed = noteOpened("database", name);
  const [urls] = await createDatabase(postgresUrl, name, [{ role: name, schema }]);

  const drop = async () => {
    const forgotten = await openConnections(postgresUrl, name, graceMs);
    await dropDatabase(postgresUrl, name, [name]);
    noteClosed();
    if (forgotten !== "") throw new Error(`connections to the test database were left open by: ${forgotten}`);
  };
  return { ...urls, superuserUrl: urlFor(postgresUrl, name), drop };
}

/** Returns the names of the applications still connected after giving closed connections time to end in the server. */
async function openConnections(server: string, database: string, graceMs: number): Promise<string> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  const select = sql`
    select coalesce(string_agg(coalesce(nullif(application_name, ''), 'unnamed'), ', '), '') as names
    from pg_stat_activity
    where datname = $1 and backend_type = 'client backend'`;
  const names = async () => (await client.query<{ names: string }>(select, [database])).rows[0]?.names ?? "";
  try {
    await waitFor(async () => ((await names()) === "" ? true : undefined), { deadlineMs: graceMs }).catch(
      () => undefined,
    );
    return await names();
  } finally {
    await client.end();
  }
}
