import type { TeamId } from "@cloud/contract";
import { parseOrganizationList } from "@cloud/contract";
import { type Database, sql, type Tx } from "@cloud/postgres";
import { SelectLinkedTeamsResponseSchema } from "@cloud/proto/identity/v1/directory_service_pb";
import { pageEncoder, parseWorkspaceLinks } from "@cloud/service";
import { openRaceDatabase } from "@cloud/service/testing";
import { createRandom, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { selectLinkedTeams } from "../../services/identity/src/directory/select-linked-teams.ts";
import { selectLinkedTeamsPage, softDeleteTeam, teamColumns } from "../../services/identity/src/teams/team-sql.ts";
import { selectWrongCounts } from "../counts/wrong-counts.ts";
import { openStage, type Place, type Stage, stageOf } from "./stage.ts";

const LINKS = 1_200;
const CLIENTS = 12;
const ROUNDS = 10;

const resources = new AsyncDisposableStack();
let stage: Stage;
/** Pools of their own, as replicas have. */
let replicas: readonly [Stage, Stage];
beforeAll(async () => {
  stage = await openStage(resources);
  const open = (db: Database) => {
    const own = openRaceDatabase(db);
    resources.defer(() => own.close());
    return own;
  };
  const replica = () => stageOf(open(stage.workspace), open(stage.identity));
  replicas = [replica(), replica()];
}, 60_000);
afterAll(() => resources.disposeAsync());

/** Changes links and teams from all clients at once; returns what their lists did not show, or should not have shown. */
async function race(place: Place, stages: readonly [Stage, Stage]): Promise<string[]> {
  const random = createRandom(7);
  const wrong: string[] = [];
  const client = async (number: number) => {
    for (let round = 0; round < ROUNDS; round++) {
      const n = LINKS + 1 + number * ROUNDS + round;
      const id = place.teams[n - 1] as TeamId;
      const expectShown = async (step: string, linked: boolean, other: boolean) => {
        for (const [assigned, shown] of [
          [true, linked],
          [false, other],
        ] as const) {
          const { names } = await random.pick(stages).list(place, { assigned, search: `Team ${n}` });
          if (names.includes(`Team ${n}`) !== shown) wrong.push(`${step}: Team ${n}, assigned ${assigned}`);
        }
      };
      await random.pick(stages).assign(place, id);
      await expectShown("assigned", true, false);
      await random.pick(stages).remove(place, id);
      await expectShown("removed", false, true);
      await random.pick(stages).assign(place, id);
      await random.pick(stages).deleteTeam(id);
      await expectShown("deleted", false, false);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return wrong;
}

describe("12 clients of two replicas that assign, remove and delete", () => {
  test("each see at once what they have changed, and the totals are right in the end", async () => {
    const place = await stage.newPlace(2_000, LINKS);
    expect(await race(place, replicas)).toEqual([]);
    const lists = await Promise.all([true, false].map((assigned) => stage.list(place, { assigned })));
    // The links of the deleted teams are still there; no list counts them.
    expect(lists.map(({ total }) => total)).toEqual([LINKS, 2_000 - LINKS - CLIENTS * ROUNDS]);
    expect((await stage.workspace.query(selectWrongCounts.workspace)).rows).toEqual([]);
    expect((await stage.identity.query(selectWrongCounts.identity)).rows).toEqual([]);
  }, 120_000);

  test("control: they do not if a list does not bring the copy up to date", async () => {
    const place = await stage.newPlace(2_000, LINKS);
    await stage.list(place, { assigned: true });
    const encode = pageEncoder(SelectLinkedTeamsResponseSchema, teamColumns);
    const blind: typeof selectLinkedTeams = async (context, _caller, request) => {
      const { organizationId, query } = parseOrganizationList(request);
      const links = parseWorkspaceLinks(request.links);
      return encode(
        query,
        await selectLinkedTeamsPage(context.db, { organizationId, links, assigned: request.assigned, query }),
      );
    };
    const blindStage = stageOf(stage.workspace, stage.identity, blind);
    expect(await race(place, [blindStage, blindStage])).not.toEqual([]);
  }, 120_000);
});

describe("a team that is deleted while its links are copied", () => {
  /** Lists while the deletion of a linked team has not committed yet; returns the total of a list after it has. */
  async function totalAfter(place: Place, lister: Stage): Promise<number> {
    const deleted = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const deletion = stage.identity.withTransaction(async (tx) => {
      await softDeleteTeam(tx, place.teams[0] as TeamId, null);
      deleted.resolve();
      await commit.promise;
    });
    await deleted.promise;
    let isListed = false;
    const list = lister.list(place, { assigned: true }).finally(() => {
      isListed = true;
    });
    // It waits for the deletion, or does not.
    await waitFor(async () => isListed || (await waitingForLock()) > 0 || undefined, { deadlineMs: 30_000 });
    commit.resolve();
    await Promise.all([deletion, list]);
    return (await stage.list(place, { assigned: true })).total;
  }

  const selectWaiting = sql`
    select count(*)::integer as waiting
    from pg_locks
    where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`;
  const waitingForLock = async () =>
    (await stage.identity.query<{ waiting: number }>(selectWaiting)).rows[0]?.waiting ?? 0;

  test("is not counted", async () => {
    expect(await totalAfter(await stage.newPlace(2_000, LINKS), stage)).toBe(LINKS - 1);
  });

  test("control: is counted without the lock of the organization's copies", async () => {
    const withoutLocks: Database = {
      ...stage.identity,
      withTransaction: (work) => stage.identity.withTransaction((tx) => work({ ...tx, queue: () => undefined } as Tx)),
    };
    const place = await stage.newPlace(2_000, LINKS);
    expect(await totalAfter(place, stageOf(stage.workspace, withoutLocks))).toBe(LINKS);
    expect((await stage.identity.query(selectWrongCounts.identity)).rows).toHaveLength(1);
  });
});
