import { list, readText } from "./documents.ts";

const CREATE_TABLE = /^create (?:unlogged )?table (?:if not exists )?(\w+)/gm;

/** Returns the tables that the migrations of a folder create, by name. */
export function tablesOf(folder: string): string[] {
  return list([`${folder}/migrations/*.sql`])
    .flatMap((path) => [...readText(path).matchAll(CREATE_TABLE)].map(([, table = ""]) => table))
    .sort();
}

/** Every table of every schema. */
export const allTables: ReadonlySet<string> = new Set(
  ["identity", "environment", "workspace"]
    .map((service) => `services/${service}`)
    .concat("packages/events", "packages/service")
    .flatMap(tablesOf),
);
