import { countEach, sideBySide } from "@cloud/testkit";
import { type Rest, refused } from "../../rest.ts";
import type { Behind } from "../system/look-behind.ts";
import { createRaceRecords } from "./race-records.ts";

/** Deletes the 8 workspaces of an organization at once, over every gateway. Answers how many deletions were told what. */
export async function raceForTheFloor(behind: Behind, gateways: readonly [Rest, Rest], rounds: number) {
  const organizations = await createRaceRecords(behind).newOrganizations(rounds, 8);
  const answers = await sideBySide(rounds, 4, async (round) => {
    const workspaces = organizations[round]?.workspaces ?? [];
    return Promise.all(workspaces.map((id, racer) => (gateways[racer % 2] as Rest).delete("/workspaces/" + id)));
  });
  const left = await behind.query<{ live: number }>(
    "select count(*) filter (where w.deleted_at is null)::integer as live from workspace.workspaces w" +
      " where organization_id = any($1::uuid[]) group by organization_id",
    [organizations.map(({ id }) => id)],
  );
  const told = answers
    .flat()
    .map((answer) => (answer.status === 204 ? "204" : refused(answer) + " " + answer.body.code));
  return { left: left.map(({ live }) => live), told: countEach(told) };
}
