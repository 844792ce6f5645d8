import { create } from "@bufbuild/protobuf";
import { refusal } from "@cloud/access/testing";
import { type Database, statement } from "@cloud/postgres";
import { DeleteWorkspaceRequestSchema } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { openRaceDatabase } from "@cloud/service/testing/races";
import { execute } from "@cloud/testkit";
import {
  countEach,
  RACE_DEADLINE_MS,
  type Rewrite,
  raceSize,
  raceUntil,
  reportRace,
  sideBySide,
} from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { deleteWorkspace } from "../../src/workspaces/delete-workspace.ts";
import { type RaceStage, startRaceStage, system, unchanged } from "./race-stage.ts";

const RACERS = 8;
let stage: RaceStage;
beforeAll(async () => {
  stage = await startRaceStage();
});
afterAll(() => stage.close());

describe("8 concurrent deletions of an organization's last workspaces always leave one", () => {
  test.each([
    { workspaces: 8, gate: 4, chaos: 1000, long: 10_000 },
    { workspaces: 4, gate: 4, chaos: 100, long: 1000 },
    { workspaces: 2, gate: 4, chaos: 100, long: 1000 },
    { workspaces: 1, gate: 4, chaos: 100, long: 1000 },
  ] as const)(
    "of $workspaces, and exactly the losers get the reason",
    async ({ workspaces, ...figures }) => {
      const rounds = raceSize(figures);
      const { left, outcomes } = await raceForTheLastWorkspace(stage, { rounds, workspaces, rewrite: unchanged });
      reportRace({ what: "last-workspace-of-" + workspaces, promise: 7, rounds, racers: RACERS, left, outcomes });
      expect(left).toEqual({ 1: rounds });
      expect(outcomes).toEqual(promisedOutcomes({ rounds, workspaces }));
    },
    RACE_DEADLINE_MS,
  );

  test("control: a plain count leaves no workspace", async () => {
    const plainCount: Rewrite = (text) =>
      text.replace("from organizations where id = $1 for update", "from organizations where id = $1");
    const rounds = raceSize({ gate: 4, chaos: 50, long: 50 });
    const race = () => raceForTheLastWorkspace(stage, { rounds, workspaces: 8, rewrite: plainCount });
    const { left } = await raceUntil((outcome) => (outcome.left[0] ?? 0) > 0, race);
    reportRace({ what: "last-workspace-control", promise: 7, rounds, racers: RACERS, left });
    expect(left[0]).toBeGreaterThan(0);
  });
});

describe("deletions of the last two workspaces, in sessions that are set to repeatable reads", () => {
  const race = { rounds: 4, workspaces: 2, rewrite: unchanged } as const;
  let foreign: Database;
  beforeAll(async () => {
    await execute(stage.db, setIsolation);
    foreign = openRaceDatabase(stage.fixture.db);
  });
  afterAll(async () => {
    await foreign.close();
    await execute(stage.db, resetIsolation);
  });
  const on = (db: Database): RaceStage => ({ ...stage, contextWith: () => ({ ...stage.contextWith(unchanged), db }) });

  test("leave one", async () => {
    expect((await raceForTheLastWorkspace(on(foreign), race)).left).toEqual({ 1: 4 });
  });

  test("control: in transactions of that level they leave none", async () => {
    const repeatable: Database = {
      ...foreign,
      transaction: (work) =>
        foreign.transaction(async (tx) => {
          await tx.query(statement`set transaction isolation level repeatable read`);
          return await work(tx);
        }),
    };
    const leavesNone = ({ left }: Outcome) => (left[0] ?? 0) > 0;
    const { left } = await raceUntil(leavesNone, () => raceForTheLastWorkspace(on(repeatable), race));
    expect(left[0]).toBeGreaterThan(0);
  });
});

const setIsolation = statement`
  do $$
  begin
    execute format(
      'alter role %I in database %I set default_transaction_isolation to %L',
      current_user, current_database(), 'repeatable read'
    );
  end $$`;

const resetIsolation = statement`
  do $$
  begin
    execute format('alter role %I in database %I reset default_transaction_isolation', current_user, current_database());
  end $$`;

interface LastWorkspaceRounds {
  /** The number of organizations, each with 8 concurrent deletions of its workspaces. */
  readonly rounds: number;
  /** The number of workspaces of each; with fewer than 8, several deletions name the same one. */
  readonly workspaces: 1 | 2 | 4 | 8;
  readonly rewrite: Rewrite;
}

interface Outcome {
  /** The number of organizations by the number of workspaces that they were left with. */
  readonly left: Readonly<Record<number, number>>;
  /** The number of deletions by their outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** Returns the expected outcomes: one deletion of each workspace but the survivor succeeds. */
function promisedOutcomes({ rounds, workspaces }: Omit<LastWorkspaceRounds, "rewrite">): Outcome["outcomes"] {
  const done = workspaces - 1;
  const refusedAsLast = RACERS / workspaces;
  const outcomes = {
    "not refused": done,
    "500 LAST_WORKSPACE: cannot delete workspace: at least one workspace must exist for the organization":
      refusedAsLast,
    "404 WORKSPACE_NOT_FOUND: workspace not found": RACERS - refusedAsLast - done,
  };
  const some = Object.entries(outcomes).filter(([, count]) => count > 0);
  return Object.fromEntries(some.map(([outcome, count]) => [outcome, count * rounds]));
}

/** Races deletions of all workspaces of each organization. Returns the remaining workspaces, and the outcomes. */
async function raceForTheLastWorkspace(
  on: RaceStage,
  { rounds, workspaces, rewrite }: LastWorkspaceRounds,
): Promise<Outcome> {
  const context = on.contextWith(rewrite);
  const organizations = await on.newOrganizations(rounds, workspaces);
  // Four organizations at once: a pool of 40 connections holds their 32 transactions.
  const outcomes = await sideBySide(rounds, 4, async (round) => {
    const ids = organizations[round]?.workspaces ?? [];
    const racers = Array.from({ length: RACERS }, (_, racer) => {
      const request = create(DeleteWorkspaceRequestSchema, { id: ids[racer % ids.length] ?? "" });
      return refusal(deleteWorkspace(context, system, request));
    });
    return Promise.all(racers);
  });
  const { rows } = await on.db.read(
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
