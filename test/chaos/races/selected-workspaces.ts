import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Random } from "@cloud/testkit/figures";
import type { LinkOutcomes } from "@cloud/testkit/races";
import type { Behind } from "../system/look-behind.ts";
import type { System } from "../system/start-system.ts";
import { LOOK_UP_MS, raceOwners } from "./race-owners.ts";
import { createRaceRecords } from "./race-records.ts";
import type { Replicas } from "./replicas.ts";

const ORGANIZATIONS = 32;

/** Selects workspaces, each by its own user, while they are deleted. */
export async function raceSelectedWorkspaces(
  system: System,
  replicas: Replicas,
  behind: Behind,
  { races, width, random }: { readonly races: number; readonly width: number; readonly random: Random },
): Promise<LinkOutcomes> {
  const records = createRaceRecords(behind);
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
  await behind.drained(30_000);
  return outcomes;
}
