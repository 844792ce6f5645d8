import { create } from "@bufbuild/protobuf";
import { refusal, systemCaller } from "@cloud/access/testing";
import { type Id, newId } from "@cloud/access/values";
import { sql, statement } from "@cloud/postgres";
import { DeleteConnectionRequestSchema } from "@cloud/proto/environment/v1/connection_service_pb";
import {
  AssignConnectionRequestSchema,
  DeleteEnvironmentRequestSchema,
  ListEnvironmentConnectionsRequestSchema,
} from "@cloud/proto/environment/v1/environment_service_pb";
import { execute } from "@cloud/testkit";
import { createRandom, type Random, runSeed } from "@cloud/testkit/figures";
import {
  type LinkOutcomes,
  RACE_DEADLINE_MS,
  type Rewrite,
  raceLinks,
  raceSize,
  raceUntil,
  reportRace,
  type Watched,
  watchLists,
} from "@cloud/testkit/races";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { assignConnection } from "../../src/assignments/assign-connection.ts";
import { listEnvironmentConnections } from "../../src/assignments/list-environment-connections.ts";
import { deleteConnection } from "../../src/connections/delete-connection.ts";
import type { Context } from "../../src/context.ts";
import { deleteEnvironment } from "../../src/environments/delete-environment.ts";
import { type Fixture, startFixture } from "../fixture.ts";
import { danglingLinks } from "../records.ts";
import { openRaceContexts } from "./open-race-contexts.ts";

const seed = raceSize({ gate: 4, chaos: runSeed(), long: runSeed() });
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());
afterEach(() =>
  execute(
    fixture.db,
    statement`
      delete
      from environment_connections`,
  ),
);

describe("assign against delete of the environment-connection link", () => {
  const whatOf = (end: string) => "assign-against-delete-environment-connection-by-" + end;

  test.each(["connection", "environment"] as const)(
    "leaves no link without its %s",
    async (end) => {
      // 2,000: half of them against the deletion of one end, half against that of the other.
      const races = raceSize({ gate: 64, chaos: 1000, long: 20_000 });
      const options = { end, races, random: createRandom(seed), rewrite: (text: string) => text };
      const { shownDeleted = [], strange, ...figures } = await raceConnectionLinks(options);
      reportRace({ what: whatOf(end), promise: 8, races, ...figures, shownDeleted: shownDeleted.length });
      expect([figures.dangling, shownDeleted, strange]).toEqual([0, [], {}]);
      // The assignment and the deletion each come first in more than a tenth of many races; in few, chance decides.
      const often = raceSize({ gate: 0, chaos: 101, long: 2001 });
      expect(Math.min(figures.assigned, figures.refused)).toBeGreaterThanOrEqual(often);
    },
    RACE_DEADLINE_MS,
  );

  test.each(["connection", "environment"] as const)(
    "control: without the lock on the %s, it leaves dangling links",
    async (end) => {
      const from = " from " + end + "s where id = $1 and deleted_at is null";
      const unlocked: Rewrite = (text) => text.replace(from + " for share", from);
      const races = raceSize({ gate: 64, chaos: 400, long: 400 });
      const options = { end, races, random: createRandom(seed), rewrite: unlocked };
      const { dangling } = await raceUntil(
        (outcomes) => outcomes.dangling > 0,
        () => raceConnectionLinks(options),
      );
      reportRace({ what: whatOf(end) + "-control", promise: 8, races, dangling });
      expect(dangling).toBeGreaterThan(0);
    },
  );
});

interface ConnectionRaces {
  /** Which end of the link is deleted. */
  readonly end: "connection" | "environment";
  readonly races: number;
  readonly random: Random;
  /** Changes the SQL of the assigning transaction. */
  readonly rewrite: Rewrite;
}

/** Lists are watched only if the environments outlive the races. */
interface ConnectionOutcomes extends LinkOutcomes, Partial<Watched> {
  /** Number of links with a deleted end. */
  readonly dangling: number;
}

/** Holds all permissions. */
const system = systemCaller();
const LANES = 8;

/** Races assigns against deletions. Each race deletes an end of its own; the races of a lane share the other end. */
async function raceConnectionLinks(options: ConnectionRaces): Promise<ConnectionOutcomes> {
  const { end, races, random, rewrite } = options;
  const { contextWith, plain, close } = openRaceContexts(fixture);
  const assigning = contextWith(rewrite);
  const environments = await insertRecords(fixture.ownerDb, "environments", end === "environment" ? races : LANES);
  const connections = await insertRecords(fixture.ownerDb, "connections", end === "connection" ? races : LANES);
  const shared = environments.slice(0, LANES) as [Id];
  const watch = end === "connection" ? watchLists(() => listIn(plain, random.pick(shared))) : undefined;

  const pairOf = (race: number) => ({
    id: environments[race % environments.length] ?? "",
    connectionId: connections[race % connections.length] ?? "",
  });
  const removeEnvironment = ({ id }: { id: string }) =>
    deleteEnvironment(plain, system, create(DeleteEnvironmentRequestSchema, { id }));
  const removeConnection = async ({ connectionId }: { connectionId: string }) => {
    await deleteConnection(plain, system, create(DeleteConnectionRequestSchema, { id: connectionId }));
    watch?.reportDeleted(connectionId);
  };
  const remove = end === "environment" ? removeEnvironment : removeConnection;

  const outcomes = await raceLinks({
    races,
    width: 2 * LANES,
    lateBy: () => random.between(-3, 3),
    shiftAfter: { refused: 0.1, assigned: -0.1 },
    assign: (race) => refusal(assignConnection(assigning, system, create(AssignConnectionRequestSchema, pairOf(race)))),
    remove: (race) => refusal(remove(pairOf(race))),
    tooLate: "404 " + end.toUpperCase() + "_NOT_FOUND: " + end + " not found",
  });
  const watched = await watch?.stop();
  await close();
  return { ...outcomes, ...watched, dangling: await danglingLinks(fixture) };
}

async function insertRecords(db: Context["db"], table: "environments" | "connections", count: number): Promise<Id[]> {
  const ids = Array.from({ length: count }, () => newId<Id>());
  await execute(
    db,
    statement`
      insert into organizations (id)
      values ($1)
      on conflict do nothing`,
    [fixture.identity.home],
  );
  const insert =
    table === "environments"
      ? sql`insert into environments (id, organization_id, name, description) select unnest($1::uuid[]), $2, '', ''`
      : sql`
        insert into connections (id, organization_id, name, description, kind, type, status)
        select unnest($1::uuid[]), $2, '', '', '', '', ''`;
  await execute(db, insert, [ids, fixture.identity.home]);
  await execute(db, table === "environments" ? sql`analyze environments` : sql`analyze connections`);
  return ids;
}

async function listIn(context: Context, id: Id): Promise<string[]> {
  const request = create(ListEnvironmentConnectionsRequestSchema, { id, pageSize: 100n });
  const { connections } = (await listEnvironmentConnections(context, system, request)).decode();
  return connections.map((connection) => connection.id);
}
