import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { TeamService } from "@cloud/proto/identity/v1/team_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createRandom, type Random, runFigures, runSeed, writeReport } from "@cloud/testkit/figures";
import { type LinkOutcomes, type Watched, watchLists } from "@cloud/testkit/races";
import { describe, expect, test } from "@jest/globals";
import { LOOK_UP_MS, raceOwners } from "./race-owners.ts";
import { createRaceRecords } from "./race-records.ts";
import { countDanglingLinks, DEADLINE_MS, expectSoundRace, onSystem, type RaceSystem } from "./race-system.ts";
import type { Replicas } from "./replicas.ts";

const seed = runSeed();

describe("with two replicas of every service", () => {
  const stage = onSystem({ replicas: 2, proxied: ["peers"] });

  test.each(["environment", "team"] as const)(
    "assign against delete: no link to a deleted %s remains, and no list shows it",
    async (kind) => {
      const races = runFigures({ ci: 2000, long: 20_000 });
      const options = { kind, races, width: 64, random: createRandom(seed) };
      const { strange, shownDeleted, ...figures } = await raceRemoteLinks(stage(), options);
      const dangling = await countDanglingLinks(stage());
      const what = "assign-against-delete-workspace-" + kind;
      writeReport({ what, promise: 8, races, dangling, ...figures, shownDeleted: shownDeleted.length });
      expect([dangling, strange, shownDeleted]).toEqual([0, {}, []]);
      // Each came first in a good part of the races, and the lists were not empty.
      expect(Math.min(figures.assigned, figures.refused)).toBeGreaterThan(races / 10);
      expect(figures.listed).toBeGreaterThan(0);
    },
    DEADLINE_MS,
  );

  test("meanwhile no process crashed and no repair was needed", () => expectSoundRace(stage()), 60_000);
});

describe("without tombstones, and with owners that list deleted records", () => {
  // The owners' replies are delayed here: consumers that verify would be delayed too, and no event would come in
  // between.
  const stage = onSystem({ proxied: ["peers"], remove: ["tombstone", "ownersLists", "verifiedDeletions"] });
  // Fewer at once: on a busy machine an event is late under load, and nothing dangles for that reason alone.
  const [races, width] = [100, 16];

  test.each(["environment", "team"] as const)(
    "control: links to a deleted %s remain, and lists show it",
    async (kind) => {
      const options = { kind, races, width, random: createRandom(seed) };
      const { shownDeleted, ...figures } = await raceRemoteLinks(stage(), options);
      const dangling = (await stage().databases.dangling())["workspace-" + kind];
      const what = "assign-against-delete-workspace-" + kind + "-control";
      writeReport({ what, promise: 8, races, dangling, ...figures, shownDeleted: shownDeleted.length });
      expect(dangling).toBeGreaterThan(0);
      expect(shownDeleted.length).toBeGreaterThan(0);
    },
    60_000,
  );
});

interface RemoteLinkRaces {
  readonly kind: "environment" | "team";
  readonly races: number;
  readonly width: number;
  readonly random: Random;
}

/** Links environments or teams to two workspaces while their owners delete them, and reads the lists meanwhile. */
async function raceRemoteLinks(
  { system, databases, replicas }: RaceSystem,
  { kind, races, width, random }: RemoteLinkRaces,
): Promise<LinkOutcomes & Watched> {
  const records = createRaceRecords(databases);
  const [organization] = await records.newOrganizations(1, 2);
  const { id = "", workspaces = [] } = organization ?? {};
  const resources = await (kind === "environment" ? records.newEnvironments : records.newTeams)(id, races);
  const owner = kind === "environment" ? "environment" : "identity";
  // For a member no look-up at identity, which is delayed, comes between the ids of the links and their records.
  const [token = ""] = await records.newUsers([id], 1);
  const [member] = replicas.rest(token);
  const watch = watchLists(() => listIn(member, kind, random.pick(workspaces as [string])), 8);
  const change = kind === "environment" ? environmentCalls(replicas, random) : teamCalls(replicas, random);

  system.proxies.peers[owner].delay(LOOK_UP_MS);
  const outcomes = await raceOwners({
    races,
    width,
    random,
    what: kind,
    assign: (race) => change.assign(workspaces[race % workspaces.length] ?? "", resources[race] ?? ""),
    remove: async (race) => {
      await change.remove(resources[race] ?? "");
      watch.reportDeleted(resources[race] ?? "");
    },
  });
  system.proxies.peers[owner].delay(0);
  await databases.drained(30_000);
  return { ...outcomes, ...(await watch.stop()) };
}

function environmentCalls(replicas: Replicas, random: Random) {
  const [workspace, owner] = [
    replicas.clients("workspace", WorkspaceService),
    replicas.clients("environment", EnvironmentService),
  ];
  return {
    assign: (id: string, environmentId: string) => workspace(random).assignEnvironment({ id, environmentId }),
    remove: (id: string) => owner(random).deleteEnvironment({ id }),
  };
}

function teamCalls(replicas: Replicas, random: Random) {
  const [workspace, owner] = [
    replicas.clients("workspace", WorkspaceService),
    replicas.clients("identity", TeamService),
  ];
  return {
    assign: (id: string, teamId: string) => workspace(random).assignTeam({ id, teamId }),
    remove: (id: string) => owner(random).deleteTeam({ id }),
  };
}

async function listIn(rest: ReturnType<Replicas["rest"]>[0], kind: string, workspace: string): Promise<string[]> {
  const { status, body } = await rest.get("/workspaces/" + workspace + "/" + kind + "s?pageSize=100");
  if (status !== 200) throw new Error("a list was answered by " + status + ": " + JSON.stringify(body));
  return body[kind + "s"].map((record: { id: string }) => record.id);
}
