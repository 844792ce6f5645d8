import { newId, type OrganizationId } from "@cloud/contract";
import type { Database, SqlText, Tx } from "@cloud/postgres";
import { deleteOrganizationInBatches } from "@cloud/service";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { nextDeletion } from "../src/consumers/delete-organization.ts";
import { type Fixture, startFixture } from "./fixture.ts";
import { eventsAbout, newEnvironment } from "./records.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

/** Creates an organization with two environments. */
async function newOrganization() {
  const id = newId<OrganizationId>();
  fixture.identity.organizations.set(id, "");
  const environments = [await newEnvironment(fixture, id), await newEnvironment(fixture, id)];
  return { id, ids: environments.map((environment) => environment.id) };
}

/** The database, with transactions that run `before` first, once, and whose statements are queued by `queue`. */
function changed(before: () => Promise<unknown>, queue: (tx: Tx) => Tx["queue"] = (tx) => tx.queue): Database {
  let isFirst = true;
  return {
    ...fixture.db,
    withTransaction: async (work) => {
      if (isFirst) await before();
      isFirst = false;
      return await fixture.db.withTransaction((tx) => work({ ...tx, queue: queue(tx) }));
    },
  };
}

describe("a record that is deleted after a batch has been read", () => {
  const eventsOfAll = async (queue?: (tx: Tx) => Tx["queue"]) => {
    const { id, ids } = await newOrganization();
    const first = () => fixture.service.environments.deleteEnvironment({ id: ids[0] ?? "" });
    await deleteOrganizationInBatches(changed(first, queue), { id, actor: "" }, nextDeletion);
    return await Promise.all(ids.map(async (one) => (await eventsAbout(fixture, one)).length));
  };

  test("has one event, as the others have", async () => {
    expect(await eventsOfAll()).toEqual([1, 1]);
  });

  test("control: has two if the batch does not check that it has locked all", async () => {
    const unchecked = (tx: Tx) => (text: SqlText, params?: readonly unknown[]) => {
      if (!text.includes("assert_locked(")) tx.queue(text, params);
    };
    expect(await eventsOfAll(unchecked)).toEqual([2, 1]);
  });
});

test("each transaction is sent as a whole: none waits for the result of a statement", async () => {
  const { id, ids } = await newOrganization();
  const refuse = () => Promise.reject(new Error("a transaction waits"));
  const db: Database = {
    ...fixture.db,
    withTransaction: (work) => fixture.db.withTransaction((tx) => work({ ...tx, query: refuse as Tx["query"] })),
  };
  await deleteOrganizationInBatches(db, { id, actor: "" }, nextDeletion);
  expect((await eventsAbout(fixture, ids[0] ?? "")).length).toBe(1);
});
