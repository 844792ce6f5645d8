import pg from "pg";

/** The tables that the monolith uses, with the service whose rows it begins with. */
const TABLES: readonly (readonly [string, string])[] = [
  ["identity", "users"],
  ["identity", "tokens"],
  ["identity", "organizations"],
  ["identity", "roles"],
  ["identity", "role_permissions"],
  ["identity", "memberships"],
  ["identity", "teams"],
  ["environment", "environments"],
  ["workspace", "workspaces"],
  ["workspace", "assignments"],
  ["workspace", "activity_events"],
  ["workspace", "outbox"],
];

/** Copies tables and rows, with indexes, into a schema of the same database: the monolith serves the same records. */
export async function copyForMonolith(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const statements = TABLES.flatMap(([schema, table]) => [
    `create table monolith.${table} (like ${schema}.${table} including all)`,
    `insert into monolith.${table} select * from ${schema}.${table}`,
  ]);
  for (const text of ["create schema monolith", ...statements, ...FOREIGN_KEYS, "analyze"]) await client.query(text);
  await client.end();
}

/** The foreign keys of the rows that the requests write; `like` copies none. */
const FOREIGN_KEYS = [
  "alter table monolith.workspaces add foreign key (organization_id) references monolith.organizations (id)",
  "alter table monolith.assignments add foreign key (workspace_id) references monolith.workspaces (id)",
];
