import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { TeamService } from "@cloud/proto/identity/v1/team_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Random } from "@cloud/testkit/figures";
import { type LinkOutcomes, type Watched, watchLists } from "@cloud/testkit/races";
import type { Behind } from "../system/look-behind.ts";
import type { System } from "../system/start-system.ts";
import { LOOK_UP_MS, raceOwners } from "./race-owners.ts";
import { createRaceRecords } from "./race-records.ts";
import type { Replicas } from "./replicas.ts";

export interface CrossServiceRaces {
  readonly kind: "environment" | "team";
  readonly races: number;
  readonly width: number;
  readonly random: Random;
}

/** Links environments or teams to two workspaces while their owners delete them, and reads the lists meanwhile. */
export async function raceCrossServiceLinks(
  system: System,
  replicas: Replicas,
  behind: Behind,
  { kind, races, width, random }: CrossServiceRaces,
): Promise<LinkOutcomes & Watched> {
  const records = createRaceRecords(behind);
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
  await behind.drained(30_000);
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
