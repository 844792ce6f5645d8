import { readFileSync, writeFileSync } from "node:fs";
import { type Database, sql } from "@cloud/postgres";
import { execute } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { renderSchema } from "./render-schema.ts";
import { openMigrated, SERVICES, type Service } from "./service-schemas.ts";

test.each(SERVICES)("services/%s/schema.sql is the schema after all migrations", async (service) => {
  await using resources = new AsyncDisposableStack();
  const rendered = await renderSchema(await openMigrated(service, resources));
  const page = new URL(`../../../../services/${service}/schema.sql`, import.meta.url);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, rendered);
  expect(readFileSync(page, "utf8")).toBe(rendered);
});

/** The tables of the records that have GET, PUT or DELETE by id. */
const TAGGED: Readonly<Record<Service, readonly string[]>> = {
  workspace: ["designs", "views", "workspaces"],
  environment: ["connections", "credentials", "environments"],
  identity: ["curricula", "invitations", "organizations", "teams", "tokens", "users"],
};

test.each(SERVICES)("each table of %s with a column `etag` has the trigger that changes it", (service) => {
  const schema = readFileSync(new URL(`../../../../services/${service}/schema.sql`, import.meta.url), "utf8");
  const namesIn = (pattern: RegExp) => [...schema.matchAll(pattern)].map(([, name]) => name).toSorted();
  expect(namesIn(/^create table (\w+) \((?:\n {2}.*)*?\n {2}etag text not null default new_etag\(\)/gim)).toEqual(
    TAGGED[service],
  );
  const trigger = /^create trigger \w+ before update on (\w+) for each row execute function change_etag\(\);$/gim;
  expect(namesIn(trigger)).toEqual(TAGGED[service]);
  expect(schema.match(/^ {2}etag /gm)).toHaveLength(TAGGED[service].length);
});

describe("control", () => {
  const resources = new AsyncDisposableStack();
  let db: Database;
  let before: string;
  beforeAll(async () => {
    db = await openMigrated("workspace", resources);
    before = await renderSchema(db);
  });
  afterAll(() => resources.disposeAsync());

  test.each([
    sql`alter table designs add column color text`,
    sql`alter table designs alter column name set default ''`,
    sql`alter table designs alter column owner drop not null`,
    sql`alter table designs drop constraint designs_visibility_check`,
    sql`drop index designs_by_created_at`,
    sql`drop trigger designs_update_count on designs`,
    sql`alter sequence outbox_publications as integer`,
    sql`alter view list_sizes rename column list to kind`,
  ])("reports %s", async (change) => {
    const undone = new Error("rolled back");
    let after = before;
    const changed = db.transaction(async (tx) => {
      await execute(tx, change);
      after = await renderSchema(tx);
      throw undone;
    });
    await expect(changed).rejects.toBe(undone);
    expect(after).not.toBe(before);
  });
});
