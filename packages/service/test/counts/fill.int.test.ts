import { randomUUID } from "node:crypto";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { statement } from "@cloud/postgres";
import { migrate } from "@cloud/postgres/migrations";
import { migrationsOf } from "@cloud/service";
import { createTestDatabase, execute, openTestDatabase, testTelemetry, waitFor } from "@cloud/testkit";
import { startLoad } from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import { schema } from "../../../../services/workspace/src/service.ts";
import { selectWrongCounts } from "./wrong-counts.ts";

const insertWorkspaces = statement`
  insert into workspaces (id, organization_id, name, description, owner)
  select gen_random_uuid(), $1, n, '', ''
  from generate_series(1, $2) n`;
const insertLine = statement`
  insert into activity_events
    (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind)
  values (gen_random_uuid(), $1, $1, '', 'update', 'success', '', '', '')`;
const deleteOne = statement`
  update workspaces
  set deleted_at = now()
  where id = (select id from workspaces where deleted_at is null limit 1 for update skip locked)`;

test("the migration counts the rows that are there, and no change is lost that is made meanwhile", async () => {
  await using resources = new AsyncDisposableStack();
  const database = await createTestDatabase("workspace");
  resources.defer(() => database.drop());
  const { log } = testTelemetry();
  const place = { url: database.ownerUrl, schema: "workspace", log };

  // 1. The schema before, with 20,000 workspaces.
  const before = await mkdtemp(path.join(tmpdir(), "migrations-"));
  resources.defer(() => rm(before, { recursive: true }));
  const isBefore = (file: string) => !/^\d{4}_/.test(path.basename(file)) || path.basename(file) < "0004";
  await cp(schema.migrations, before, { recursive: true, filter: isBefore });
  await migrate({ ...place, sources: migrationsOf({ ...schema, migrations: before }) });
  // A busy machine is no reason to give up a write.
  const db = openTestDatabase(place);
  resources.defer(() => db.close());
  const id = randomUUID();
  await execute(db, statement`insert into organizations (id) values ($1)`, [id]);
  await execute(db, insertWorkspaces, [id, 20_000]);

  // 2. The migration under load.
  const load = startLoad(60, async () => {
    await db.transaction(async (tx) => {
      await tx.query(insertWorkspaces, [id, 2]);
      await tx.query(insertLine, [id]);
      await tx.query(deleteOne);
    });
  });
  const more = (count: number) =>
    waitFor(() => (load.samples().length >= count ? true : undefined), { deadlineMs: 30_000 });
  await more(20);
  await migrate({ ...place, sources: migrationsOf(schema) });
  await more(load.samples().length + 20);
  const samples = await load.stop();

  expect(samples.flatMap(({ error }) => (error === undefined ? [] : [String(error)]))).toEqual([]);
  expect((await execute(db, selectWrongCounts.workspace)).rows).toEqual([]);
  const { rows } = await db.read(
    statement<{ count: string }>`select sum(count) as count from live_counts where list = 'workspaces'`,
  );
  expect(rows).toEqual([{ count: String(20_000 + samples.length) }]);
}, 60_000);
