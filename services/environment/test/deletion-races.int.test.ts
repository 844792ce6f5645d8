import { refusal } from "@cloud/access/testing";
import { type EnvironmentId, newId, type OrganizationId } from "@cloud/access/values";
import { appendEvent } from "@cloud/events";
import { statement, type Tx } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import {
  deleteOrganizationInBatches,
  insertOrganizationIfMissing,
  selectLiveOrganizationForShare,
} from "@cloud/service/references";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  insertEnvironment,
  selectEnvironment,
  selectEnvironmentForUpdate,
  softDeleteEnvironment,
} from "../src/environments/sql.ts";
import { nextDeletion } from "../src/events.ts";
import { type Fixture, startFixture } from "./fixture.ts";
import { interleave } from "./interleave.ts";
import { eventsAbout, newEnvironment, newPlatformEnvironment } from "./records.ts";

let fixture: Fixture;
const deleteAll = (id: OrganizationId) => deleteOrganizationInBatches(fixture.db, { id, actor: "" }, nextDeletion);
let home: OrganizationId;
beforeAll(async () => {
  fixture = await startFixture();
  home = fixture.identity.home;
});
afterAll(() => fixture.stop());

describe("deleting one environment twice", () => {
  test("one succeeds, the others return not found, and one event is published", async () => {
    const { id } = await newEnvironment(fixture, home);
    const calls = Array.from({ length: 8 }, () => refusal(fixture.admin.environments.deleteEnvironment({ id })));
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter((outcome) => outcome === "not refused")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome.startsWith("404 ENVIRONMENT_TO_DELETE_NOT_FOUND"))).toHaveLength(7);
    expect(await eventsAbout(fixture, id)).toEqual(["environment.v1.EnvironmentDeleted"]);
  });

  test.each([
    ["the row lock", selectEnvironmentForUpdate, 1],
    ["control: no lock", selectEnvironment, 2],
  ] as const)("%s", async (_case, select, events) => {
    const environmentId = (await newEnvironment(fixture, home)).id as EnvironmentId;
    const remove = async (tx: Tx, middle: () => Promise<void>) => {
      const environment = await select(tx, environmentId);
      await middle();
      if (environment !== undefined) {
        await softDeleteEnvironment(tx, environmentId);
        await appendEvent(tx, EnvironmentDeletedSchema, { environmentId });
      }
    };
    await interleave(fixture.db, remove, () => fixture.db.transaction((tx) => remove(tx, async () => undefined)));
    expect(await eventsAbout(fixture, environmentId)).toHaveLength(events);
  });
});

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

  test("many concurrent creations leave no live environment", async () => {
    for (let round = 0; round < 10; round++) {
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
  });
});
