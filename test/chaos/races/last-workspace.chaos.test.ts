import { sql } from "@cloud/postgres";
import { runFigures, writeReport } from "@cloud/testkit/figures";
import { countEach, sideBySide } from "@cloud/testkit/races";
import { expect, test } from "@jest/globals";
import { type Rest, refused } from "../../e2e/rest.ts";
import type { SystemDatabases } from "../system/system-databases.ts";
import { createRaceRecords } from "./race-records.ts";
import { DEADLINE_MS, expectSoundRace, onSystem } from "./race-system.ts";

// services/workspace/test/races/last-workspace.int.test.ts plays it in one process, with its control.
const stage = onSystem({ replicas: 2 });

test(
  "of 8 concurrent deletions of an organization's last workspaces one always remains, over REST",
  async () => {
    const { system, databases, replicas } = stage();
    const rounds = runFigures({ ci: 50, long: 500 });
    const gateways = replicas.rest(system.demo.users.providerAdmin.token);
    const { left, outcomes } = await raceForTheLastWorkspace(databases, gateways, rounds);
    const leastLeft = Math.min(...left);
    writeReport({ what: "last-workspace-rest", promise: 7, rounds, racers: 8, replicas: 2, leastLeft, outcomes });
    expect(left).toEqual(Array(rounds).fill(1));
    expect(outcomes).toEqual({
      "204": 7 * rounds,
      "500 cannot delete workspace: at least one workspace must exist for the organization LAST_WORKSPACE": rounds,
    });
  },
  DEADLINE_MS,
);

test("meanwhile no process crashed and no repair was needed", () => expectSoundRace(stage()), 60_000);

/**
 * Deletes the 8 workspaces of an organization concurrently, over every gateway. Returns the number of deletions by
 * outcome.
 */
async function raceForTheLastWorkspace(databases: SystemDatabases, gateways: readonly [Rest, Rest], rounds: number) {
  const organizations = await createRaceRecords(databases).newOrganizations(rounds, 8);
  const replies = await sideBySide(rounds, 4, async (round) => {
    const workspaces = organizations[round]?.workspaces ?? [];
    return Promise.all(workspaces.map((id, racer) => (gateways[racer % 2] as Rest).delete("/workspaces/" + id)));
  });
  const left = await databases.query<{ live: number }>(
    sql`
      select count(*) filter (where w.deleted_at is null)::integer as live
      from workspace.workspaces w
      where organization_id = any($1::uuid[])
      group by organization_id`,
    [organizations.map(({ id }) => id)],
  );
  const outcomes = replies
    .flat()
    .map((response) => (response.status === 204 ? "204" : refused(response) + " " + response.body.code));
  return { left: left.map(({ live }) => live), outcomes: countEach(outcomes) };
}
