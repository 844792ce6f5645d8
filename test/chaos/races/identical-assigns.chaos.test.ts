import { writeReport } from "@cloud/testkit/figures";
import { countEach } from "@cloud/testkit/races";
import { expect, test } from "@jest/globals";
import { type Rest, refused } from "../../e2e/rest.ts";
import type { SystemDatabases } from "../system/system-databases.ts";
import { createRaceRecords } from "./race-records.ts";
import { expectSoundRace, onSystem } from "./race-system.ts";

// services/workspace/test/races/identical-assigns.int.test.ts plays it in one process, with its control.
const RACERS = 64;
const stage = onSystem({ replicas: 2 });

test.each(["team", "environment", "connection"] as const)(
  "64 parallel identical assigns of a %s make 1 row and 64 equal bodies; of 64 removes 1 is 204",
  async (kind) => {
    const { system, databases, replicas } = stage();
    const gateways = replicas.rest(system.demo.users.providerAdmin.token);
    const { rows, bodies, removed } = await raceIdenticalAssigns(databases, gateways, await newEnds(databases, kind));
    const figures = { racers: RACERS, replicas: 2, rows, bodies: Object.keys(bodies).length, removed };
    writeReport({ what: "identical-assigns-" + kind, promise: 9, ...figures });
    expect(rows).toBe(1);
    expect(Object.values(bodies)).toEqual([RACERS]);
    expect(Object.keys(bodies)[0]).toMatch(/^200 \{"id":"[0-9a-f-]{36}"/);
    const code = kind.toUpperCase() + "_ASSIGNMENT_NOT_FOUND";
    expect(removed).toEqual({ "204": 1, ["404 no such " + kind + " assignment " + code]: RACERS - 1 });
  },
  60_000,
);

test("meanwhile no process crashed and no repair was needed", () => expectSoundRace(stage()), 60_000);

/** Creates both ends of a link, and returns its path. */
async function newEnds(databases: SystemDatabases, kind: "team" | "environment" | "connection"): Promise<string> {
  const records = createRaceRecords(databases);
  const [organization] = await records.newOrganizations(1, 1);
  const { id = "", workspaces = [] } = organization ?? {};
  if (kind === "team") return "/workspaces/" + workspaces[0] + "/teams/" + (await records.newTeams(id, 1))[0];
  const [environment] = await records.newEnvironments(id, 1);
  return kind === "environment"
    ? "/workspaces/" + workspaces[0] + "/environments/" + environment
    : "/environments/" + environment + "/connections/" + (await records.newConnection(id));
}

/** Assigns `RACERS` times concurrently over every gateway, then removes as often. */
async function raceIdenticalAssigns({ query }: SystemDatabases, gateways: readonly [Rest, Rest], path: string) {
  const all = <T>(call: (rest: Rest) => Promise<T>) =>
    Promise.all(Array.from({ length: RACERS }, (_, racer) => call(gateways[racer % 2] as Rest)));
  const assigned = await all((rest) => rest.post(path));
  const [counted] = await query<{ count: string }>(
    `
    select (select count(*) from workspace.assignments where resource_id = $1)
      + (select count(*) from environment.environment_connections where connection_id = $1) as count`,
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
