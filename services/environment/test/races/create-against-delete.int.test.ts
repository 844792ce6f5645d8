import { refusal } from "@cloud/access/testing";
import { type EnvironmentId, newId, type OrganizationId } from "@cloud/access/values";
import { statement, type Tx } from "@cloud/postgres";
import {
  deleteOrganizationInBatches,
  insertOrganizationIfMissing,
  selectLiveOrganizationForShare,
} from "@cloud/service/references";
import { interleave } from "@cloud/service/testing/races";
import { RACE_DEADLINE_MS, raceSize } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { insertEnvironment } from "../../src/environments/sql.ts";
import { nextDeletion } from "../../src/events.ts";
import { type Fixture, startFixture } from "../fixture.ts";
import { newPlatformEnvironment } from "../records.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const deleteAll = (id: OrganizationId) => deleteOrganizationInBatches(fixture.db, { id, actor: "" }, nextDeletion);

describe("creating concurrently with the deletion of the organization", () => {
  const unlocked = async (tx: Tx, id: OrganizationId) =>
    tx.query(
      statement`
        select
        from organizations
        where id = $1`,
      [id],
    );

  test.each([
    ["the share lock", selectLiveOrganizationForShare, 0],
    ["control: no lock", unlocked, 1],
  ] as const)("%s", async (_case, select, survivors) => {
    const organizationId = newId<OrganizationId>();
    fixture.identity.organizations.set(organizationId, "");
    await newPlatformEnvironment(fixture, organizationId);
    const create = async (tx: Tx, middle: () => Promise<void>) => {
      await insertOrganizationIfMissing(tx, organizationId);
      await select(tx, organizationId);
      await middle();
      const id = newId<EnvironmentId>();
      const fields = { name: "", description: "", platformProvisioned: false, metadata: "{}" };
      await insertEnvironment(tx, { id, organizationId, ...fields });
    };
    await interleave(fixture.db, create, () => deleteAll(organizationId));
    const live = statement`
      select
      from environments
      where organization_id = $1 and deleted_at is null`;
    expect((await fixture.db.read(live, [organizationId])).rows).toHaveLength(survivors);
  });

  test(
    "many concurrent creations leave no live environment",
    async () => {
      for (let round = 0; round < raceSize({ gate: 10, chaos: 100, long: 1000 }); round++) {
        const organizationId = newId<OrganizationId>();
        fixture.identity.organizations.set(organizationId, "");
        const creations = Array.from({ length: 12 }, () =>
          refusal(fixture.service.environments.createEnvironment({ organizationId })),
        );
        await Promise.race(creations);
        const ending = deleteAll(organizationId);
        for (const outcome of await Promise.all(creations)) {
          expect(outcome).toMatch(/^(not refused|404 ORGANIZATION_NOT_FOUND)/);
        }
        await ending;
        const live = statement`
        select
        from environments
        where organization_id = $1 and deleted_at is null`;
        expect((await fixture.db.read(live, [organizationId])).rows).toHaveLength(0);
      }
    },
    RACE_DEADLINE_MS,
  );
});
