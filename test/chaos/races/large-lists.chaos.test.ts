import { randomUUID } from "node:crypto";
import { sql } from "@cloud/postgres";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { TeamService } from "@cloud/proto/identity/v1/team_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createRandom, type Random, runFigures, runSeed, writeReport } from "@cloud/testkit/figures";
import { sideBySide } from "@cloud/testkit/races";
import { describe, expect, test } from "@jest/globals";
import { createRaceRecords } from "./race-records.ts";
import { DEADLINE_MS, expectSoundRace, onSystem, type RaceSystem } from "./race-system.ts";
import type { Replicas } from "./replicas.ts";

const seed = runSeed();
/** The number of links: so many that the owner of the records reads their ids into a hash table. */
const LINKS = 1200;
const CLIENTS = 8;

describe("with two replicas of every service", () => {
  const stage = onSystem({ replicas: 2 });

  test.each(["environment", "team"] as const)(
    "lists of a workspace with 1,200 links show each assigned, removed or deleted %s at once",
    async (kind) => {
      const rounds = runFigures({ ci: 80, long: 1600 });
      const { wrong, ...counted } = await raceLargeLists(stage(), { kind, rounds, random: createRandom(seed) });
      writeReport({ what: "large-lists-" + kind, promise: 8, rounds, ...counted, wrong: wrong.length });
      expect(wrong).toEqual([]);
      expect(counted).toEqual({ linked: LINKS, notLinked: 0 });
    },
    DEADLINE_MS,
  );

  test("meanwhile no process crashed and no repair was needed", () => expectSoundRace(stage()), 60_000);
});

describe("with owners that list deleted records", () => {
  const stage = onSystem({ remove: ["tombstone", "ownersLists", "verifiedDeletions"] });

  test("control: lists of their owners with deleted records show them", async () => {
    const { wrong } = await raceLargeLists(stage(), { kind: "team", rounds: 16, random: createRandom(seed) });
    writeReport({ what: "large-lists-control", promise: 8, rounds: 16, wrong: wrong.length });
    expect(wrong).not.toEqual([]);
  }, 60_000);
});

interface LargeListRaces {
  readonly kind: "environment" | "team";
  readonly rounds: number;
  readonly random: Random;
}

interface LargeListOutcome {
  /** The records that a list omitted, or should not have shown. */
  readonly wrong: readonly string[];
  /** The totals of both lists in the end. */
  readonly linked: number;
  readonly notLinked: number;
}

/**
 * Assigns, removes and deletes records of a workspace that has many links. Each client reads both lists after each of
 * its changes, through any replica of the services.
 */
async function raceLargeLists(
  { system, databases, replicas }: RaceSystem,
  { kind, rounds, random }: LargeListRaces,
): Promise<LargeListOutcome> {
  const records = createRaceRecords(databases);
  const [{ id: organization = "", workspaces: [workspace = ""] = [] } = {}] = await records.newOrganizations(1, 1);
  const insert = inserts[kind];
  const names = Array.from({ length: LINKS + rounds }, () => randomUUID());
  const rows = await databases.query<{ id: string; name: string }>(insert, [organization, names]);
  await databases.query(insertLinks, [workspace, kind, rows.slice(0, LINKS).map(({ id }) => id)]);
  const rest = replicas.rest(system.demo.users.providerAdmin.token);
  const list = async (assigned: boolean, search = "") => {
    const path = "/workspaces/" + workspace + "/" + kind + "s?filter.assigned=" + assigned + "&search=" + search;
    const { status, body } = await random.pick(rest).get(path);
    if (status !== 200) throw new Error("a list was answered by " + status + ": " + JSON.stringify(body));
    return { total: body.totalCount as number, ids: body[kind + "s"].map((record: { id: string }) => record.id) };
  };
  const change = changesOf(kind, replicas, random, workspace);
  const wrong: string[] = [];

  await list(true);
  await sideBySide(rounds, CLIENTS, async (round) => {
    const { id = "", name = "" } = rows[LINKS + round] ?? {};
    const compare = async (step: string, isLinked: boolean, isOther: boolean) => {
      for (const [assigned, expected] of [
        [true, isLinked],
        [false, isOther],
      ] as const) {
        const { ids } = await list(assigned, name);
        if (ids.includes(id) !== expected) wrong.push(step + " " + id + ", assigned " + assigned);
      }
    };
    await change.assign(id);
    await compare("assigned", true, false);
    await change.remove(id);
    await compare("removed", false, true);
    await change.assign(id);
    await change.end(id);
    await compare("deleted", false, false);
  });
  await databases.drained(30_000);
  return {
    wrong,
    linked: (await list(true)).total,
    notLinked: (await list(false)).total,
  };
}

const inserts = {
  environment: sql`
    with organization as (
      insert into environment.organizations (id)
      values ($1)
    )
    insert into environment.environments (id, organization_id, name, description)
    select gen_random_uuid(), $1, name, ''
    from unnest($2::text[]) name
    returning id, name`,
  team: sql`
    insert into identity.teams (id, organization_id, name)
    select gen_random_uuid(), $1, name
    from unnest($2::text[]) name
    returning id, name`,
};
const insertLinks = sql`
  insert into workspace.assignments (id, workspace_id, kind, resource_id)
  select gen_random_uuid(), $1, $2, unnest($3::uuid[])`;

function changesOf(kind: LargeListRaces["kind"], replicas: Replicas, random: Random, id: string) {
  const workspaces = replicas.clients("workspace", WorkspaceService);
  if (kind === "environment") {
    const owner = replicas.clients("environment", EnvironmentService);
    return {
      assign: (environmentId: string) => workspaces(random).assignEnvironment({ id, environmentId }),
      remove: (environmentId: string) => workspaces(random).removeEnvironment({ id, environmentId }),
      end: (environmentId: string) => owner(random).deleteEnvironment({ id: environmentId }),
    };
  }
  const owner = replicas.clients("identity", TeamService);
  return {
    assign: (teamId: string) => workspaces(random).assignTeam({ id, teamId }),
    remove: (teamId: string) => workspaces(random).removeTeam({ id, teamId }),
    end: (teamId: string) => owner(random).deleteTeam({ id: teamId }),
  };
}
