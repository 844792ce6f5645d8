import { refusal } from "@cloud/access/testing";
import type { EnvironmentId } from "@cloud/access/values";
import { appendEvent } from "@cloud/events";
import type { Tx } from "@cloud/postgres";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { interleave } from "@cloud/service/testing/races";
import { raceSize } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { selectEnvironment, selectEnvironmentForUpdate, softDeleteEnvironment } from "../../src/environments/sql.ts";
import { type Fixture, startFixture } from "../fixture.ts";
import { eventsAbout, newEnvironment } from "../records.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

describe("deleting one environment twice", () => {
  test("one succeeds, the others return not found, and one event is published", async () => {
    for (let round = 0; round < raceSize({ gate: 1, chaos: 50, long: 500 }); round++) {
      const { id } = await newEnvironment(fixture, fixture.identity.home);
      const calls = Array.from({ length: 8 }, () => refusal(fixture.admin.environments.deleteEnvironment({ id })));
      const outcomes = await Promise.all(calls);
      expect(outcomes.filter((outcome) => outcome === "not refused")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome.startsWith("404 ENVIRONMENT_TO_DELETE_NOT_FOUND"))).toHaveLength(7);
      expect(await eventsAbout(fixture, id)).toEqual(["environment.v1.EnvironmentDeleted"]);
    }
  });

  test.each([
    ["the row lock", selectEnvironmentForUpdate, 1],
    ["control: no lock", selectEnvironment, 2],
  ] as const)("%s", async (_case, select, events) => {
    const environmentId = (await newEnvironment(fixture, fixture.identity.home)).id as EnvironmentId;
    const remove = async (tx: Tx, middle: () => Promise<void>) => {
      const environment = await select(tx, environmentId);
      await middle();
      if (environment !== undefined) {
        await softDeleteEnvironment(tx, environmentId);
        appendEvent(tx, EnvironmentDeletedSchema, { environmentId });
      }
    };
    await interleave(fixture.db, remove, () => fixture.db.transaction((tx) => remove(tx, async () => undefined)));
    expect(await eventsAbout(fixture, environmentId)).toHaveLength(events);
  });
});
