import { create } from "@bufbuild/protobuf";
import { refusal, systemCaller } from "@cloud/access/testing";
import {
  AssignConnectionRequestSchema,
  RemoveConnectionRequestSchema,
} from "@cloud/proto/environment/v1/environment_service_pb";
import { interleaveBefore } from "@cloud/service/testing/races";
import { countEach, RACE_DEADLINE_MS, type Rewrite, raceSize } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { assignConnection } from "../../src/assignments/assign-connection.ts";
import { removeConnection } from "../../src/assignments/remove-connection.ts";
import { type Fixture, startFixture } from "../fixture.ts";
import { newPair } from "./new-pair.ts";
import { openRaceContexts } from "./open-race-contexts.ts";

/** Holds all permissions. */
const system = systemCaller();
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

describe("8 clients that assign a pair while 8 others remove it", () => {
  test(
    "get a live assignment each time",
    async () => {
      const rounds = raceSize({ gate: 8, chaos: 80, long: 800 });
      const outcomes = await raceAssignsAgainstRemovals(await newPair(fixture), rounds);
      expect(outcomes).toEqual({ "not refused": 16 * rounds });
    },
    RACE_DEADLINE_MS,
  );

  /** Assigns a pair that is linked already, and removes it between the insert and the select of the assign. */
  const removeBetween = async (rewrite: Rewrite) => {
    await using resources = new AsyncDisposableStack();
    const contexts = openRaceContexts(fixture);
    resources.defer(() => contexts.close());
    const pair = await newPair(fixture);
    await fixture.admin.environments.assignConnection(pair);
    const context = contexts.contextWith(rewrite);
    const isSelect = (text: string) =>
      text.trim().startsWith("select") && text.includes("from environment_connections");
    return await interleaveBefore(
      context.db,
      isSelect,
      (db) => refusal(assignConnection({ ...context, db }, system, create(AssignConnectionRequestSchema, pair))),
      () => refusal(removeConnection(context, system, create(RemoveConnectionRequestSchema, pair))),
    );
  };

  test("get one that another removes once they have it", async () => {
    expect(await removeBetween((text) => text)).toEqual(["not refused", "not refused"]);
  });

  test("control: with a removal that only takes a share lock, it is gone before they have it", async () => {
    const [assigned, removed] = await removeBetween((text) => text.replace(" for update", " for share"));
    expect([assigned, removed]).toEqual([expect.not.stringMatching("^not refused"), "not refused"]);
  });
});

/** Assigns one pair `2 * rounds` times by each of 8 clients while 8 others remove it. Counts the assigns by outcome. */
async function raceAssignsAgainstRemovals(
  pair: { id: string; connectionId: string },
  rounds: number,
): Promise<Record<string, number>> {
  const contexts = openRaceContexts(fixture);
  const context = contexts.plain;
  let assigning = true;
  const assigner = async () => {
    const outcomes: string[] = [];
    for (let round = 0; round < 2 * rounds; round++) {
      outcomes.push(await refusal(assignConnection(context, system, create(AssignConnectionRequestSchema, pair))));
    }
    return outcomes;
  };
  const remover = async () => {
    while (assigning) await refusal(removeConnection(context, system, create(RemoveConnectionRequestSchema, pair)));
  };
  const removers = Array.from({ length: 8 }, remover);
  const outcomes = (await Promise.all(Array.from({ length: 8 }, assigner))).flat();
  assigning = false;
  await Promise.all(removers);
  await contexts.close();
  return countEach(outcomes);
}
