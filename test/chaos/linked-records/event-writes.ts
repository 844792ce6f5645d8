import { type RestResponse, restClients } from "../../e2e/rest.ts";
import type { System } from "../system/start-system.ts";
import type { SystemDatabases } from "../system/system-databases.ts";
import { seedLinkedRecords } from "./linked-records.ts";

/** A write, and the resource whose link the workspace service must delete because of it. */
export interface Write {
  readonly status: number;
  readonly owed?: string;
}

/**
 * Prepares `count` deletions, assignments and removals over REST, each of its own records; every one appends an event.
 * Four of every ten owe an effect.
 */
export async function prepareWrites(
  system: System,
  databases: SystemDatabases,
  count: number,
): Promise<(index: number) => Promise<Write>> {
  const { demo } = system;
  const { orgAdmin } = restClients(demo);
  const { workspaceId, environments, teams } = await seedLinkedRecords(system, databases, {
    environments: (count / 10) * 8,
    teams: (count / 10) * 2,
  });
  const other = await orgAdmin.post("/workspaces", { organizationId: demo.organizations[0]?.id, name: "Other" });
  const link = (workspace: string, id: string) => "/workspaces/" + workspace + "/environments/" + id;
  const owing = async (id: string, deleting: Promise<RestResponse>) => ({ status: (await deleting).status, owed: id });
  return async (index) => {
    const turn = index % 10;
    const round = Math.floor(index / 10);
    const team = teams[round * 2 + turn] ?? "";
    const environment = environments[round * 8 + turn - 2] ?? "";
    if (turn < 2) return owing(team, orgAdmin.delete("/identity/teams/" + team));
    if (turn < 4) return owing(environment, orgAdmin.delete("/environments/" + environment));
    if (turn < 6) return await orgAdmin.post("/environments/" + environment + "/connections/" + demo.connections[0]);
    if (turn < 8) return await orgAdmin.post(link(other.body.id, environment));
    return await orgAdmin.delete(link(workspaceId, environment));
  };
}
