import { refusal } from "@cloud/access/testing";
import { countEach, RACE_DEADLINE_MS, raceSize } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { assignResource } from "../../src/assignments/assign-resource.ts";
import { designs, environments, type LinkType, teams, views } from "../../src/assignments/link-types.ts";
import { removeResource } from "../../src/assignments/remove-resource.ts";
import { type RaceStage, startRaceStage, system, unchanged } from "./race-stage.ts";

const CLIENTS = 16;
let stage: RaceStage;
beforeAll(async () => {
  stage = await startRaceStage();
});
afterAll(() => stage.close());

describe("16 clients that assign and remove the same pair", () => {
  const kinds = { team: teams, environment: environments, design: designs, view: views };
  const newPair = async (name: keyof typeof kinds) => {
    const [organization] = await stage.newOrganizations(1, 1);
    if (organization === undefined) throw new TypeError("no organization");
    const { fixture } = stage;
    const { id, workspaces } = organization;
    const request = { organizationId: id };
    const create = {
      team: async () => fixture.identity.addTeam(id),
      environment: async () => fixture.environment.addEnvironment(id),
      design: async () => (await fixture.service.designs.createDesign(request)).design?.id,
      view: async () => (await fixture.service.views.createView(request)).view?.id,
    };
    return { workspaceId: workspaces[0] ?? "", resourceId: (await create[name]()) ?? "" };
  };

  test.each(["team", "environment", "design", "view"] as const)(
    "get an assignment each time: %s",
    async (name) => {
      const rounds = raceSize({ gate: 4, chaos: 40, long: 400 });
      const outcomes = await raceAssignsAgainstRemovals(kinds[name], await newPair(name), rounds);
      expect(outcomes).toEqual({ "not refused": CLIENTS * rounds });
    },
    RACE_DEADLINE_MS,
  );

  test("control: an insert that does nothing when the pair is linked returns none", async () => {
    const context = stage.contextWith((text) =>
      text.replace("do update set updated_at = assignments.updated_at", "do nothing"),
    );
    const pair = await newPair("team");
    const assign = () => refusal(assignResource(context, system, teams, pair));
    expect([await assign(), await assign()]).toEqual(["not refused", expect.not.stringMatching("^not refused")]);
  });
});

/** Runs 16 clients that assign and remove one pair in turn, `rounds` times each. Counts the outcomes of the assigns. */
async function raceAssignsAgainstRemovals(
  kind: LinkType,
  request: { workspaceId: string; resourceId: string },
  rounds: number,
): Promise<Record<string, number>> {
  const context = stage.contextWith(unchanged);
  const client = async () => {
    const outcomes: string[] = [];
    for (let round = 0; round < rounds; round++) {
      outcomes.push(await refusal(assignResource(context, system, kind, request)));
      await refusal(removeResource(context, system, kind, request));
    }
    return outcomes;
  };
  return countEach((await Promise.all(Array.from({ length: CLIENTS }, client))).flat());
}
