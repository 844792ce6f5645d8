import { randomBytes } from "node:crypto";
import { type SqlText, sql } from "@cloud/postgres";
import pg from "pg";

export interface SchemaRole {
  /** The role of the program; `<role>_owner` owns the schema. */
  role: string;
  schema: string;
}

export interface SchemaUrls {
  /** Connects as the program's role, whose rights on tables the migrations grant. */
  url: string;
  /** Connects as the owner of the schema. */
  ownerUrl: string;
}

/**
 * Creates a database with a schema for each role. The role finds the schema first on its search path. It has no rights
 * until its owner, a role of its own, grants them. Keeps what exists, but hands it to the owner, and sets new
 * passwords. Returns the URLs for each role, in their order.
 */
export async function createDatabase<const Roles extends readonly SchemaRole[]>(
  superuserUrl: string,
  name: string,
  roles: Roles,
): Promise<{ [index in keyof Roles]: SchemaUrls }> {
  const logins = roles.map(({ role, schema }) => ({ schema, program: newLogin(role), owner: newLogin(ownerOf(role)) }));
  await withConnection(superuserUrl, async (run) => {
    const missing = await run(noDatabase, name);
    // Copies the files of the template: through the log it takes four times the processor.
    if (missing > 0) await run(sql`create database %I template template0 strategy file_copy`, name);
    await run(sql`revoke all on database %I from public`, name);
    for (const { role, password } of logins.flatMap(({ program, owner }) => [program, owner])) {
      const unknown = await run(noRole, role);
      await run(
        unknown > 0 ? sql`create role %I login password %L` : sql`alter role %I login password %L`,
        role,
        password,
      );
      await run(sql`revoke all on database %I from %I`, name, role);
      await run(sql`grant connect on database %I to %I`, name, role);
    }
  });
  await withConnection(urlFor(superuserUrl, name), async (run) => {
    await run(sql`drop schema if exists public`);
    for (const { schema, program, owner } of logins) {
      // Until 0.1.0 the program's role was the owner.
      await run(sql`reassign owned by %I to %I`, program.role, owner.role);
      await run(sql`create schema if not exists %I authorization %I`, schema, owner.role);
      for (const { role } of [program, owner]) {
        await run(sql`alter role %I in database %I set search_path = %I`, role, name, schema);
      }
    }
  });
  const urls = logins.map(({ program, owner }) => ({
    url: urlFor(superuserUrl, name, program),
    ownerUrl: urlFor(superuserUrl, name, owner),
  }));
  return urls as { [index in keyof Roles]: SchemaUrls };
}

/** Deletes a database with all connections to it, and roles, with their owners, that own nothing in other databases. */
export async function dropDatabase(superuserUrl: string, name: string, roles: readonly string[]): Promise<void> {
  await withConnection(superuserUrl, async (run) => {
    await run(sql`drop database if exists %I with (force)`, name);
    for (const role of roles) {
      await run(sql`drop role if exists %I`, role);
      await run(sql`drop role if exists %I`, ownerOf(role));
    }
  });
}

export function urlFor(superuserUrl: string, database: string, login?: Login): string {
  const url = new URL(superuserUrl);
  url.pathname = database;
  if (login !== undefined) {
    url.username = login.role;
    url.password = login.password;
  }
  return url.href;
}

interface Login {
  readonly role: string;
  readonly password: string;
}

const ownerOf = (role: string) => `${role}_owner`;

const newLogin = (role: string): Login => ({ role, password: randomBytes(18).toString("base64url") });

const noDatabase = sql`
  select 1
  where not exists (
    select
    from pg_database
    where datname = %L
  )`;

const noRole = sql`
  select 1
  where not exists (
    select
    from pg_roles
    where rolname = %L
  )`;

/**
 * Runs a statement in which Postgres itself fills in and quotes names (%I) and literals (%L); returns the row count.
 */
type Run = (statement: SqlText, ...values: string[]) => Promise<number>;

async function withConnection(url: string, work: (run: Run) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: "create-database" });
  client.on("error", () => undefined); // the current query fails too, and reports it
  await client.connect();
  const run: Run = async (statement, ...values) => {
    const quote = sql`select format($1, variadic $2::text[]) as statement`;
    const quoted = await client.query<{ statement: string }>(quote, [statement, values]);
    return (await client.query(quoted.rows[0]?.statement ?? "")).rowCount ?? 0;
  };
  try {
    await work(run);
  } finally {
    await client.end();
  }
}
