import { create } from "@bufbuild/protobuf";
import { refusal, systemCaller } from "@cloud/access/testing";
import {
  AssignConnectionRequestSchema,
  RemoveConnectionRequestSchema,
} from "@cloud/proto/environment/v1/environment_service_pb";
import { countEach, type Rewrite } from "@cloud/testkit/races";
import { assignConnection } from "../../src/assignments/assign-connection.ts";
import { removeConnection } from "../../src/assignments/remove-connection.ts";
import type { Fixture } from "../fixture.ts";
import { openRaceContexts } from "./open-race-contexts.ts";

/** Holds all permissions. */
const system = systemCaller();

/** Assigns one pair `2 * rounds` times by each of 8 clients while 8 others remove it. Counts the assigns by outcome. */
export async function raceAssignsAgainstRemovals(
  fixture: Fixture,
  pair: { id: string; connectionId: string },
  { rounds, rewrite }: { rounds: number; rewrite: Rewrite },
): Promise<Record<string, number>> {
  const contexts = openRaceContexts(fixture);
  const context = contexts.contextWith(rewrite);
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
