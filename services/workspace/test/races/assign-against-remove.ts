import { refusal } from "@cloud/access/testing";
import { countEach, type Rewrite } from "@cloud/testkit/races";
import { assignResource } from "../../src/assignments/assign-resource.ts";
import type { LinkType } from "../../src/assignments/link-types.ts";
import { removeResource } from "../../src/assignments/remove-resource.ts";
import { type RaceStage, system } from "./race-stage.ts";

/** Runs 16 clients that assign and remove one pair in turn, `rounds` times each. Counts the outcomes of the assigns. */
export async function raceAssignsAgainstRemovals(
  stage: RaceStage,
  kind: LinkType,
  request: { workspaceId: string; resourceId: string },
  { rounds, rewrite }: { rounds: number; rewrite: Rewrite },
): Promise<Record<string, number>> {
  const context = stage.contextWith(rewrite);
  const client = async () => {
    const outcomes: string[] = [];
    for (let round = 0; round < rounds; round++) {
      outcomes.push(await refusal(assignResource(context, system, kind, request)));
      await refusal(removeResource(context, system, kind, request));
    }
    return outcomes;
  };
  return countEach((await Promise.all(Array.from({ length: 16 }, client))).flat());
}
