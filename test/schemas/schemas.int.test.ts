import { readFileSync, writeFileSync } from "node:fs";
import { sql } from "@cloud/postgres";
import { expect, test } from "@jest/globals";
import { renderSchema } from "./render-schema.ts";
import { openMigrated, SERVICES } from "./service-schemas.ts";

test.each(SERVICES)("services/%s/schema.sql is the schema after all migrations", async (service) => {
  await using resources = new AsyncDisposableStack();
  const rendered = await renderSchema(await openMigrated(service, resources));
  const page = new URL(`../../services/${service}/schema.sql`, import.meta.url);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, rendered);
  expect(readFileSync(page, "utf8")).toBe(rendered);
});

test.each([
  sql`alter table designs add column color text`,
  sql`alter table designs alter column name set default ''`,
  sql`alter table designs alter column owner drop not null`,
  sql`alter table designs drop constraint designs_visibility_check`,
  sql`drop index designs_by_created_at`,
  sql`drop trigger designs_update_count on designs`,
  sql`alter sequence outbox_publications as integer`,
  sql`alter view list_sizes rename column list to kind`,
])("control: reports %s", async (change) => {
  await using resources = new AsyncDisposableStack();
  const db = await openMigrated("workspace", resources);
  const before = await renderSchema(db);
  await db.query(change);
  expect(await renderSchema(db)).not.toBe(before);
});
