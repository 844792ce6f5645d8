import { refusal } from "@cloud/access/testing";
import type { Id } from "@cloud/access/values";
import { sql } from "@cloud/postgres";
import { RACE_DEADLINE_MS, type Rewrite, raceSize } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { assignResource } from "../../src/assignments/assign-resource.ts";
import { environments, teams } from "../../src/assignments/link-types.ts";
import type { Context } from "../../src/context.ts";
import { upsertReferenceTombstones } from "../../src/links/reference-sql.ts";
import { deleteLinksOfResources } from "../../src/links/sql.ts";
import { type RaceStage, startRaceStage, system, unchanged } from "./race-stage.ts";

let stage: RaceStage;
beforeAll(async () => {
  stage = await startRaceStage();
});
afterAll(() => stage.close());

describe.each(["environment", "team"] as const)("assign against delete of the %s", (kind) => {
  const rounds = raceSize({ gate: 60, chaos: 600, long: 6000 });

  test(
    "never leaves a link to a deleted record",
    async () => {
      expect(await raceRemoteLinks(kind, { rounds, rewrite: unchanged })).toBe(0);
    },
    RACE_DEADLINE_MS,
  );

  test("nor if the deletion is applied between the look-up and the assignment", async () => {
    expect(await raceRemoteLinks(kind, { rounds: 1, rewrite: unchanged, inTurn: true })).toBe(0);
  });

  test("control: without the tombstone it does", async () => {
    const blind: Rewrite = (text) =>
      text.replace("select deleted_at from resource_references", "select null as deleted_at from resource_references");
    expect(await raceRemoteLinks(kind, { rounds: 1, rewrite: blind, inTurn: true })).toBe(1);
  });
});

interface RemoteRaces {
  readonly rounds: number;
  readonly rewrite: Rewrite;
  /** The assignment waits for the deletion, rather than race it. */
  readonly inTurn?: boolean;
}

/**
 * Assigns resources, deletes each right after its owner has reported it as live, and applies the deletion as the
 * consumer does. Returns the number of remaining links.
 */
async function raceRemoteLinks(
  kind: "environment" | "team",
  { rounds, rewrite, inTurn = false }: RemoteRaces,
): Promise<number> {
  const { identity, environment } = stage.fixture;
  const [organization] = await stage.newOrganizations(1, 1);
  if (organization === undefined) throw new TypeError("no organization");
  const [workspaceId = ""] = organization.workspaces;
  const add = kind === "environment" ? environment.addEnvironment : identity.addTeam;
  const resources: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const resourceId = add(organization.id);
    resources.push(resourceId);
    const [lookedUp, deleted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const context = observingLookUps(stage.contextWith(rewrite), async () => {
      lookedUp.resolve();
      if (inTurn) await deleted.promise;
    });
    const link = kind === "environment" ? environments : teams;
    await Promise.all([
      refusal(assignResource(context, system, link, { workspaceId, resourceId })),
      lookedUp.promise.then(() => applyDeletion(context, kind, resourceId as Id)).then(deleted.resolve),
    ]);
  }
  return stage.count(sql`assignments where resource_id = any($1)`, [resources]);
}

const applyDeletion = ({ db }: Context, kind: "environment" | "team", id: Id) =>
  db.transaction(async (tx) => {
    await upsertReferenceTombstones(tx, kind, [id]);
    await deleteLinksOfResources(tx, kind, [id]);
  });

/** Returns the context with look-ups that call `lookedUp` once the owner of the resource has responded. */
function observingLookUps(context: Context, lookedUp: () => Promise<void>): Context {
  const observing =
    <Found>(lookUp: (id: string) => Promise<Found>) =>
    async (id: string) => {
      const found = await lookUp(id);
      await lookedUp();
      return found;
    };
  const { team, environment } = context.peerRecords;
  return { ...context, peerRecords: { team: observing(team), environment: observing(environment) } };
}
