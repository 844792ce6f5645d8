import { readFileSync } from "node:fs";
import { ROOT } from "./read-statements.ts";

/**
 * The owner of a table's rows, which decides where shards would have them: an organization by a column of their own, a
 * workspace or another record by its id, users, or the service itself.
 */
export type Home = "organization" | "workspace" | "record" | "users" | "service";

/** Links and parts of records, which have the id of a record instead of its organization. */
const OF_RECORD: ReadonlySet<string> = new Set([
  "environment_connections",
  "team_members",
  "registrations",
  "resource_references",
  "workspace_references",
]);

const OF_USERS: ReadonlySet<string> = new Set([
  "users",
  "tokens",
  "preferences",
  "roles",
  "permissions",
  "role_permissions",
]);

/** Returns the tables of all services. One of the same name belongs to the same in each. */
export function readTables(): ReadonlyMap<string, Home> {
  const tables = new Map<string, Home>();
  for (const service of ["identity", "environment", "workspace"]) {
    const schema = readFileSync(`${ROOT}services/${service}/schema.sql`, "utf8");
    for (const [, name = "", columns = ""] of schema.matchAll(/^create table (\w+) \(\n([\s\S]*?)^\);/gm)) {
      tables.set(name, homeOf(name, columns));
    }
  }
  return tables;
}

function homeOf(name: string, columns: string): Home {
  if (OF_USERS.has(name)) return "users";
  if (OF_RECORD.has(name)) return "record";
  if (/^ {2}organization_id /m.test(columns) || name.endsWith("organizations")) return "organization";
  return /^ {2}workspace_id /m.test(columns) ? "workspace" : "service";
}
