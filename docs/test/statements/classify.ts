import type { Statement } from "./read-statements.ts";
import type { Home } from "./tables.ts";

/** How a statement would find its shard. */
export type Route = "organization" | "workspace" | "id" | "all" | "users" | "service";

export const ROUTES: Readonly<Record<Route, string>> = {
  organization: "names the organization",
  workspace: "names the workspace, not its organization",
  id: "names a record by its id only",
  all: "names none: reads or changes rows of all organizations",
  users: "of users, tokens and roles, which belong to no organization",
  service: "of events, and of what a service keeps about itself",
};

const TABLE = /\b(?:from|join|into|update|using|merge into)\s+(?:only\s+)?(\w+|\$\{\w*[tT]able\})/g;
const ORGANIZATION = /organization_id|\$\{[^}]*[oO]rganization[^}]*\}|\bscope\b/;

/** Returns how a statement finds its rows, by its conditions, and an insert by its columns. */
export function classify({ text }: Statement, tables: ReadonlyMap<string, Home>): Route {
  const named = [...text.matchAll(TABLE)].map(([, name = ""]) => name);
  const homes = new Set(named.flatMap((name) => (name.startsWith("$") ? "organization" : (tables.get(name) ?? []))));
  const ownHomes = [...homes].filter((home) => home !== "service" && home !== "users");
  if (ownHomes.length === 0) return homes.has("users") ? "users" : "service";
  const conditions = conditionsOf(text);
  if (ORGANIZATION.test(conditions)) return "organization";
  // The id of an organization is what its row is distributed by.
  if (named.every((name) => name.endsWith("organizations") || !tables.has(name)) && /\bid = /.test(conditions)) {
    return "organization";
  }
  if (/\bworkspace_id\b/.test(conditions)) return "workspace";
  return /\b\w*_?id (?:= |in \()|\(kind, id\b|\(\w+_id, \w+_id\b/.test(conditions) ? "id" : "all";
}

/** Returns everything but the columns that a query selects. */
function conditionsOf(text: string): string {
  const columns = /\binsert into \w+(?: as \w+)? \(([^)]*)\)/.exec(text)?.[1] ?? "";
  const joins = [...text.matchAll(/\busing \(([^)]*)\)|\bon ([^\n]*)/g)].map(([found]) => found);
  const from = text.search(/\bwhere\b/);
  return [columns === "" ? "" : `(${columns})`, ...joins, from === -1 ? "" : text.slice(from)].join("\n");
}
