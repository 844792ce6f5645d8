import { randomBytes } from "node:crypto";
import { createDatabase, dropDatabase, urlFor } from "@cloud/local-servers";
import pg from "pg";
import { currentTestRun, noteOpened } from "./test-run.ts";
import { waitFor } from "./wait-for.ts";

export interface TestDatabase {
  /** Of a login role with rights on nothing but the schema. */
  url: string;
  /** Of the superuser, in the same database: to look behind the scenes. */
  superuserUrl: string;
  /** Deletes database and role. @throws Error when a connection to it was left open */
  drop(): Promise<void>;
}

/** Makes a new database in the Postgres of this jest run, with one empty schema and a login role that owns it. */
export async function createTestDatabase(schema = "test"): Promise<TestDatabase> {
  const { postgresUrl } = currentTestRun();
  const name = `test_${randomBytes(6).toString("hex")}`;
  const password = randomBytes(12).toString("hex");
  const noteClosed = noteOpened("database", name);
  const [url = ""] = await createDatabase(postgresUrl, name, [{ role: name, password, schema }]);

  const drop = async () => {
    const forgotten = await openConnections(postgresUrl, name);
    await dropDatabase(postgresUrl, name, [name]);
    noteClosed();
    if (forgotten !== "") throw new Error(`connections to the test database were left open by: ${forgotten}`);
  };
  return { url, superuserUrl: urlFor(postgresUrl, name), drop };
}

/** The names of the applications still connected, after giving closed connections a second to end in the server. */
async function openConnections(server: string, database: string): Promise<string> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  const select =
    "SELECT coalesce(string_agg(coalesce(nullif(application_name, ''), 'unnamed'), ', '), '') AS names " +
    "FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'";
  const names = async () => (await client.query<{ names: string }>(select, [database])).rows[0]?.names ?? "";
  try {
    await waitFor(async () => ((await names()) === "" ? true : undefined), { deadlineMs: 1000 }).catch(() => undefined);
    return await names();
  } finally {
    await client.end();
  }
}
