import { countEach } from "@cloud/testkit/races";
import { type Rest, refused } from "../../e2e/rest.ts";
import type { Behind } from "../system/look-behind.ts";
import { createRaceRecords } from "./race-records.ts";

export const RACERS = 64;

/** Creates both ends of a link, and returns its path. */
export async function newEnds(behind: Behind, kind: "team" | "environment" | "connection"): Promise<string> {
  const records = createRaceRecords(behind);
  const [organization] = await records.newOrganizations(1, 1);
  const { id = "", workspaces = [] } = organization ?? {};
  if (kind === "team") return "/workspaces/" + workspaces[0] + "/teams/" + (await records.newTeams(id, 1))[0];
  const [environment] = await records.newEnvironments(id, 1);
  return kind === "environment"
    ? "/workspaces/" + workspaces[0] + "/environments/" + environment
    : "/environments/" + environment + "/connections/" + (await records.newConnection(id));
}

/** Assigns `RACERS` times concurrently over every gateway, then removes as often. */
export async function raceIdenticalAssigns({ query }: Behind, gateways: readonly [Rest, Rest], path: string) {
  const all = <T>(call: (rest: Rest) => Promise<T>) =>
    Promise.all(Array.from({ length: RACERS }, (_, racer) => call(gateways[racer % 2] as Rest)));
  const assigned = await all((rest) => rest.post(path));
  const [counted] = await query<{ count: string }>(
    "select (select count(*) from workspace.assignments where resource_id = $1)" +
      " + (select count(*) from environment.environment_connections where connection_id = $1) as count",
    [path.split("/").at(-1)],
  );
  const removed = await all((rest) => rest.delete(path));
  return {
    rows: Number(counted?.count),
    bodies: countEach(assigned.map(({ status, body }) => status + " " + JSON.stringify(body))),
    removed: countEach(
      removed.map((response) => (response.status === 204 ? "204" : refused(response) + " " + response.body.code)),
    ),
  };
}
