import pg from "pg";

export interface SchemaOwner {
  role: string;
  password: string;
  schema: string;
}

/**
 * Makes a database in which each role owns one schema, finds it first on its search path, and has rights on nothing
 * else. What exists already is kept, and only the passwords are set anew.
 * Answers the URL of the database for each owner, in their order.
 */
export async function createDatabase(
  superuserUrl: string,
  name: string,
  owners: readonly SchemaOwner[],
): Promise<string[]> {
  await withConnection(superuserUrl, async (run) => {
    const missing = await run("SELECT 1 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = %L)", name);
    if (missing > 0) await run("CREATE DATABASE %I TEMPLATE template0", name);
    await run("REVOKE ALL ON DATABASE %I FROM PUBLIC", name);
    for (const { role, password } of owners) {
      const unknown = await run("SELECT 1 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = %L)", role);
      await run(unknown > 0 ? "CREATE ROLE %I LOGIN PASSWORD %L" : "ALTER ROLE %I LOGIN PASSWORD %L", role, password);
      await run("GRANT CONNECT, TEMPORARY ON DATABASE %I TO %I", name, role);
    }
  });
  await withConnection(urlFor(superuserUrl, name), async (run) => {
    await run("DROP SCHEMA IF EXISTS public");
    for (const { role, schema } of owners) {
      await run("CREATE SCHEMA IF NOT EXISTS %I AUTHORIZATION %I", schema, role);
      await run("ALTER ROLE %I IN DATABASE %I SET search_path = %I", role, name, schema);
    }
  });
  return owners.map((owner) => urlFor(superuserUrl, name, owner));
}

/** Deletes a database with all connections to it, and roles that own nothing in other databases. */
export async function dropDatabase(superuserUrl: string, name: string, roles: readonly string[]): Promise<void> {
  await withConnection(superuserUrl, async (run) => {
    await run("DROP DATABASE IF EXISTS %I WITH (FORCE)", name);
    for (const role of roles) await run("DROP ROLE IF EXISTS %I", role);
  });
}

export function urlFor(superuserUrl: string, database: string, owner?: SchemaOwner): string {
  const url = new URL(superuserUrl);
  url.pathname = database;
  if (owner !== undefined) {
    url.username = owner.role;
    url.password = owner.password;
  }
  return url.href;
}

/** Runs a statement in which Postgres itself fills in and quotes names (%I) and literals (%L); answers its row count. */
type Run = (statement: string, ...values: string[]) => Promise<number>;

async function withConnection(url: string, work: (run: Run) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: "create-database" });
  client.on("error", () => undefined); // the query under way fails too, and says so
  await client.connect();
  const run: Run = async (statement, ...values) => {
    const quote = "SELECT format($1, VARIADIC $2::text[]) AS statement";
    const quoted = await client.query<{ statement: string }>(quote, [statement, values]);
    return (await client.query(quoted.rows[0]?.statement ?? "")).rowCount ?? 0;
  };
  try {
    await work(run);
  } finally {
    await client.end();
  }
}
