import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createRandom, type Random, runFigures, runSeed, writeReport } from "@cloud/testkit/figures";
import type { LinkOutcomes } from "@cloud/testkit/races";
import { describe, expect, test } from "@jest/globals";
import { LOOK_UP_MS, raceOwners } from "./race-owners.ts";
import { createRaceRecords } from "./race-records.ts";
import { countDanglingLinks, DEADLINE_MS, expectSoundRace, onSystem, type RaceSystem } from "./race-system.ts";

const ORGANIZATIONS = 32;
const seed = runSeed();

describe("with two replicas of every service", () => {
  const stage = onSystem({ replicas: 2, proxied: ["peers"] });

  test(
    "select against delete: no selection of a deleted workspace remains",
    async () => {
      const races = runFigures({ ci: 500, long: 20_000 });
      const options = { races, width: 64, random: createRandom(seed) };
      const { strange, ...figures } = await raceSelectedWorkspaces(stage(), options);
      const dangling = await countDanglingLinks(stage());
      writeReport({ what: "select-against-delete-workspace", promise: 8, races, dangling, ...figures });
      expect([dangling, strange]).toEqual([0, {}]);
      expect(Math.min(figures.assigned, figures.refused)).toBeGreaterThan(races / 10);
    },
    DEADLINE_MS,
  );

  test("meanwhile no process crashed and no repair was needed", () => expectSoundRace(stage()), 60_000);
});

describe("without tombstones", () => {
  // The owners' replies are delayed here: consumers that verify would be delayed too, and no event would come in
  // between.
  const stage = onSystem({ proxied: ["peers"], remove: ["tombstone", "ownersLists", "verifiedDeletions"] });
  // Fewer at once: on a busy machine an event is late under load, and nothing dangles for that reason alone.
  const [races, width] = [100, 16];

  test("control: selections of a deleted workspace remain", async () => {
    const figures = await raceSelectedWorkspaces(stage(), { races, width, random: createRandom(seed) });
    const dangling = (await stage().databases.dangling())["selected-workspace"];
    writeReport({ what: "select-against-delete-workspace-control", promise: 8, races, dangling, ...figures });
    expect(dangling).toBeGreaterThan(0);
  }, 60_000);
});

/** Selects workspaces, each by its own user, while they are deleted. */
async function raceSelectedWorkspaces(
  { system, databases, replicas }: RaceSystem,
  { races, width, random }: { readonly races: number; readonly width: number; readonly random: Random },
): Promise<LinkOutcomes> {
  const records = createRaceRecords(databases);
  // Each organization has one workspace more than is deleted: the minimum of one workspace is not what races here.
  const organizations = await records.newOrganizations(ORGANIZATIONS, Math.ceil(races / ORGANIZATIONS) + 1);
  const tokens = await records.newUsers(
    organizations.map(({ id }) => id),
    races,
  );
  const workspaceOf = (race: number) =>
    organizations[race % ORGANIZATIONS]?.workspaces[Math.floor(race / ORGANIZATIONS)] ?? "";
  const [users, workspaces] = [
    replicas.clients("identity", UserService),
    replicas.clients("workspace", WorkspaceService),
  ];

  system.proxies.peers.workspace.delay(LOOK_UP_MS);
  const outcomes = await raceOwners({
    races,
    width,
    random,
    what: "workspace",
    assign: (race) =>
      users(random).updatePreferences(
        { selectedWorkspace: workspaceOf(race) },
        { headers: { authorization: "Bearer " + tokens[race] } },
      ),
    remove: (race) => workspaces(random).deleteWorkspace({ id: workspaceOf(race) }),
  });
  system.proxies.peers.workspace.delay(0);
  await databases.drained(30_000);
  return outcomes;
}
