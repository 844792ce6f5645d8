import { create } from "@bufbuild/protobuf";
import { DeleteWorkspaceRequestSchema } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { refusal } from "@cloud/rpc/testing";
import { countEach, type Rewrite, sideBySide } from "@cloud/testkit";
import { deleteWorkspace } from "../../src/workspaces/delete-workspace.ts";
import { type RaceStage, system } from "./race-stage.ts";

export const RACERS = 8;

export interface FloorRounds {
  /** How many organizations, each of which loses its workspaces to 8 concurrent deletions. */
  readonly rounds: number;
  /** How many workspaces each has; with fewer than 8, several deletions want the same one. */
  readonly workspaces: 1 | 2 | 4 | 8;
  readonly rewrite: Rewrite;
}

export interface Floor {
  /** How many organizations were left with no workspace, with one, … */
  readonly left: Readonly<Record<number, number>>;
  /** How many deletions ended how. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** What all of them must be told: one deletion of each workspace but the survivor goes through. */
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
  const { rows } = await stage.db.query<{ live: number }>(
    "select (select count(*)::integer from workspaces w where w.organization_id = o.id and deleted_at is null) as live" +
      " from unnest($1::uuid[]) as o (id)",
    [organizations.map(({ id }) => id)],
  );
  return {
    left: countEach(rows.map(({ live }) => String(live))),
    outcomes: countEach(outcomes.flat()),
  };
}
