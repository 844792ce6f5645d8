import { newId, type OrganizationId } from "@cloud/access/values";
import { type Database, openDatabase, statement, type Tx } from "@cloud/postgres";
import { interleave } from "@cloud/service/testing/races";
import { createTestDatabase, execute, testTelemetry } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { insertOrganizationIfMissing, upsertOrganizationTombstone } from "../src/references/organization-sql.ts";

const resources = new AsyncDisposableStack();
let db: Database;
beforeAll(async () => {
  const database = await createTestDatabase("test");
  resources.defer(() => database.drop());
  const { log } = testTelemetry();
  db = openDatabase({ url: database.ownerUrl, schema: "test", applicationName: "test", log });
  resources.defer(() => db.close());
  await execute(db, statement`create table organizations (id uuid primary key, deleted_at timestamptz)`);
});
afterAll(() => resources.disposeAsync());

/** Reads in the snapshot of the statement whether there was a tombstone. */
const readingItsSnapshot = statement<{ is_new: boolean }>`
  insert into organizations (id, deleted_at)
  values ($1, now())
  on conflict (id) do update
  set deleted_at = coalesce(organizations.deleted_at, excluded.deleted_at)
  returning (
    select before.deleted_at
    from organizations before
    where before.id = $1
  ) is null as is_new`;

const upsertBySnapshot = async (tx: Tx, id: OrganizationId) =>
  (await tx.query(readingItsSnapshot, [id])).rows[0]?.is_new ?? false;

describe("of two concurrent deletions of an organization", () => {
  test.each([
    ["one sets the tombstone, in a row that is missing", upsertOrganizationTombstone, false, [true, false]],
    ["one sets the tombstone, in a row that is there", upsertOrganizationTombstone, true, [true, false]],
    ["control: both do, by what the snapshot has", upsertBySnapshot, true, [true, true]],
  ] as const)("%s", async (_case, upsert, exists, outcomes) => {
    const id = newId<OrganizationId>();
    if (exists) await db.transaction((tx) => insertOrganizationIfMissing(tx, id));
    const isNew: boolean[] = [];
    const first = async (tx: Tx, middle: () => Promise<void>) => {
      isNew.push(await upsert(tx, id));
      await middle();
    };
    const rival = async () => isNew.push(await db.transaction((tx) => upsert(tx, id)));
    await interleave(db, first, rival);
    expect(isNew).toEqual(outcomes);
  });
});
