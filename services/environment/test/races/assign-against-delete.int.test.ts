import { refusal } from "@cloud/access/testing";
import { type Id, newId } from "@cloud/access/values";
import { statement, type Tx } from "@cloud/postgres";
import { interleave } from "@cloud/service/testing/races";
import { execute } from "@cloud/testkit";
import { RACE_DEADLINE_MS, raceSize } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { selectConnection, selectConnectionForShare } from "../../src/connections/sql.ts";
import { selectEnvironment, selectEnvironmentForShare } from "../../src/environments/sql.ts";
import { insertLink } from "../../src/links/sql.ts";
import { type Fixture, startFixture } from "../fixture.ts";
import { danglingLinks } from "../records.ts";
import { newPair } from "./new-pair.ts";
import { queueAtLinks } from "./queue-at-links.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

describe("assigning concurrently with the deletion of an end", () => {
  const cleanUp = () =>
    execute(
      fixture.db,
      statement`
      delete
      from environment_connections`,
    );

  test.each([
    ["the share lock", selectConnectionForShare, 0],
    ["control: no lock", selectConnection, 1],
  ] as const)("connection, %s", async (_case, select, dangling) => {
    const pair = await newPair(fixture);
    const assign = async (tx: Tx, middle: () => Promise<void>) => {
      await select(tx, pair.connectionId);
      await middle();
      await insertLink(tx, newId<Id>(), pair.id, pair.connectionId);
    };
    await interleave(fixture.db, assign, () => fixture.admin.connections.deleteConnection({ id: pair.connectionId }));
    expect(await danglingLinks(fixture)).toBe(dangling);
    await cleanUp();
  });

  test.each([
    ["the share lock", selectEnvironmentForShare, 0],
    ["control: no lock", selectEnvironment, 1],
  ] as const)("environment, %s", async (_case, select, dangling) => {
    const pair = await newPair(fixture);
    const assign = async (tx: Tx, middle: () => Promise<void>) => {
      await select(tx, pair.id);
      await middle();
      await insertLink(tx, newId<Id>(), pair.id, pair.connectionId);
    };
    await interleave(fixture.db, assign, () => fixture.admin.environments.deleteEnvironment({ id: pair.id }));
    expect(await danglingLinks(fixture)).toBe(dangling);
    await cleanUp();
  });

  test.each([
    ["connection", "404 CONNECTION_NOT_FOUND: connection not found"],
    ["environment", "404 ENVIRONMENT_NOT_FOUND: environment not found"],
  ])("the %s, in either order of the requests", async (end, notFound) => {
    const { environments, connections } = fixture.admin;
    for (const assignFirst of [true, false]) {
      const pair = await newPair(fixture);
      const assign = () => environments.assignConnection(pair);
      const remove = () =>
        end === "environment"
          ? environments.deleteEnvironment({ id: pair.id })
          : connections.deleteConnection({ id: pair.connectionId });
      const calls = assignFirst ? [assign, remove] : [remove, assign];
      const outcomes = await queueAtLinks(fixture.db, ...calls);
      expect(outcomes).toEqual(["not refused", assignFirst ? "not refused" : notFound]);
      expect(await danglingLinks(fixture)).toBe(0);
    }
  });

  test(
    "many concurrent assigns, removals and deletions leave no dangling link and cause no unexpected error",
    async () => {
      const allowed =
        /^(not refused|404 (ENVIRONMENT|CONNECTION|ENVIRONMENT_TO_DELETE|CONNECTION_ASSIGNMENT)_NOT_FOUND)/;
      const { environments, connections } = fixture.admin;
      for (let round = 0; round < raceSize({ gate: 15, chaos: 150, long: 1500 }); round++) {
        const pairs = await Promise.all(Array.from({ length: 3 }, () => newPair(fixture)));
        const everyPair = pairs.flatMap(({ id }) => pairs.map(({ connectionId }) => ({ id, connectionId })));
        const calls = [
          ...everyPair.map((pair) => environments.assignConnection(pair)),
          ...everyPair.map((pair) => environments.assignConnection(pair)),
          ...pairs.map((pair) => environments.removeConnection(pair)),
          ...pairs.map(({ connectionId }) => connections.deleteConnection({ id: connectionId })),
          ...pairs.map(({ id }) => environments.deleteEnvironment({ id })),
        ];
        for (const outcome of await Promise.all(calls.map(refusal))) {
          expect(outcome).toMatch(allowed);
        }
        expect(await danglingLinks(fixture)).toBe(0);
      }
    },
    RACE_DEADLINE_MS,
  );
});
