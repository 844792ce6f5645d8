import { newId, type OrganizationId } from "@cloud/access/values";
import type { Database } from "@cloud/postgres";
import { deleteOrganizationInBatches } from "@cloud/service/references";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { nextDeletion } from "../src/events.ts";
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

/**
 * The database, with transactions that run `before` first, once, and of whose statements those pass that `passes`
 * selects.
 */
function changed(before: () => Promise<unknown>, passes = (_text: string) => true): Database {
  let isFirst = true;
  return {
    ...fixture.db,
    batch: async (statements) => {
      if (isFirst) await before();
      isFirst = false;
      return await fixture.db.batch(statements.filter(({ statement }) => passes(statement.text)));
    },
  };
}

describe("a record that is deleted after a batch has been read", () => {
  const eventsOfAll = async (passes?: (text: string) => boolean) => {
    const { id, ids } = await newOrganization();
    const first = () => fixture.service.environments.deleteEnvironment({ id: ids[0] ?? "" });
    await deleteOrganizationInBatches(changed(first, passes), { id, actor: "" }, nextDeletion);
    return await Promise.all(ids.map(async (one) => (await eventsAbout(fixture, one)).length));
  };

  test("has one event, as the others have", async () => {
    expect(await eventsOfAll()).toEqual([1, 1]);
  });

  test("control: has two if the batch does not check that it has locked all", async () => {
    const unchecked = (text: string) => !text.includes("assert_locked(");
    expect(await eventsOfAll(unchecked)).toEqual([2, 1]);
  });
});
