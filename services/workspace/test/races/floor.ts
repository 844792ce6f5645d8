import { create } from "@bufbuild/protobuf";
import { refusal } from "@cloud/access/testing";
import { statement } from "@cloud/postgres";
import { DeleteWorkspaceRequestSchema } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { countEach, type Rewrite, sideBySide } from "@cloud/testkit/races";
import { deleteWorkspace } from "../../src/workspaces/delete-workspace.ts";
import { type RaceStage, system } from "./race-stage.ts";

export const RACERS = 8;

export interface FloorRounds {
  /** The number of organizations, each with 8 concurrent deletions of its workspaces. */
  readonly rounds: number;
  /** The number of workspaces of each; with fewer than 8, several deletions name the same one. */
  readonly workspaces: 1 | 2 | 4 | 8;
  readonly rewrite: Rewrite;
}

export interface Floor {
  /** The number of organizations by the number of workspaces that they were left with. */
  readonly left: Readonly<Record<number, number>>;
  /** The number of deletions by their outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** Returns the expected outcomes: one deletion of each workspace but the survivor succeeds. */
export function floorOutcomes({ rounds, workspaces }: Omit<FloorRounds, "rewrite">): Floor["outcomes"] {
  const done = workspaces - 1;
  const refusedByTheFloor = RACERS / workspaces;
  const outcomes = {
    "not refused": done,
    "500 LAST_WORKSPACE: cannot delete workspace: at least one workspace must exist for the organization":
      refusedByTheFloor,
    "404 WORKSPACE_NOT_FOUND: workspace not found": RACERS - refusedByTheFloor - done,
  };
  const some = Object.entries(outcomes).filter(([, count]) => count > 0);
  return Object.fromEntries(some.map(([outcome, count]) => [outcome, count * rounds]));
}

/** Races deletions of all workspaces of each organization. Returns the remaining workspaces, and the outcomes. */
export async function raceForTheFloor(stage: RaceStage, { rounds, workspaces, rewrite }: FloorRounds): Promise<Floor> {
  const context = stage.contextWith(rewrite);
  const organizations = await stage.newOrganizations(rounds, workspaces);
  // Four organizations at once: a pool of 40 connections holds their 32 transactions.
  const outcomes = await sideBySide(rounds, 4, async (round) => {
    const ids = organizations[round]?.workspaces ?? [];
    const racers = Array.from({ length: RACERS }, (_, racer) => {
      const request = create(DeleteWorkspaceRequestSchema, { id: ids[racer % ids.length] ?? "" });
      return refusal(deleteWorkspace(context, system, request));
    });
    return Promise.all(racers);
  });
  const { rows } = await stage.db.read(
    statement<{ live: number }>`
      select (
        select count(*)::integer
        from workspaces w
        where w.organization_id = o.id and deleted_at is null
      ) as live
      from unnest($1::uuid[]) as o (id)`,
    [organizations.map(({ id }) => id)],
  );
  return {
    left: countEach(rows.map(({ live }) => String(live))),
    outcomes: countEach(outcomes.flat()),
  };
}
