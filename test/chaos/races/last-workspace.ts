import { sql } from "@cloud/postgres";
import { countEach, sideBySide } from "@cloud/testkit/races";
import { type Rest, refused } from "../../e2e/rest.ts";
import type { Behind } from "../system/look-behind.ts";
import { createRaceRecords } from "./race-records.ts";

/**
 * Deletes the 8 workspaces of an organization concurrently, over every gateway. Returns the number of deletions by
 * outcome.
 */
export async function raceForTheLastWorkspace(behind: Behind, gateways: readonly [Rest, Rest], rounds: number) {
  const organizations = await createRaceRecords(behind).newOrganizations(rounds, 8);
  const replies = await sideBySide(rounds, 4, async (round) => {
    const workspaces = organizations[round]?.workspaces ?? [];
    return Promise.all(workspaces.map((id, racer) => (gateways[racer % 2] as Rest).delete("/workspaces/" + id)));
  });
  const left = await behind.query<{ live: number }>(
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
