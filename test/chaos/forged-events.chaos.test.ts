import { randomUUID } from "node:crypto";
import { waitFor } from "@cloud/testkit";
import { writeReport } from "@cloud/testkit/figures";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Counts, countRows } from "./census/count-rows.ts";
import type { Protection } from "./controls.ts";
import { DELIVERIES, publishDeletions, type Victims } from "./forged-events/publish-deletions.ts";
import { createParts, createPlace, linkParts, type Place } from "./places/create-place.ts";
import { made } from "./places/made.ts";
import { usePlace } from "./places/use-place.ts";
import { conditionsOf } from "./system/conditions-of.ts";
import { readMetric } from "./system/read-metric.ts";
import { SERVICES, type System, startSystem } from "./system/start-system.ts";
import { openDatabases, type SystemDatabases } from "./system/system-databases.ts";

const env = { RECONCILER_INTERVAL_MS: "500", RECONCILER_GRACE_MS: "1000" };
const PLACES = ["north", "east", "south", "west"];
const DEADLINE = { deadlineMs: 20_000 };

interface Stage {
  readonly system: System;
  readonly databases: SystemDatabases;
  readonly places: readonly Place[];
}

const victimsOf = ({ organization, parts }: Place): Victims => ({ ...parts, organization });
const strangers = (): Victims => ({
  organization: randomUUID(),
  team: randomUUID(),
  environment: randomUUID(),
  workspace: randomUUID(),
});

async function open(resources: AsyncDisposableStack, remove: readonly Protection[] = []): Promise<Stage> {
  const system = await startSystem({ replicas: 2, env, remove });
  resources.defer(() => system.stop());
  const databases = resources.adopt(openDatabases(system), (opened) => opened.close());
  const places = await Promise.all(PLACES.map((name) => createPlace(system, name)));
  await databases.drained(20_000);
  return { system, databases, places };
}

/** Returns all counts of rows, and the counts of parked messages separately. */
async function rows(databases: SystemDatabases) {
  const counted = await countRows(databases);
  const entries = SERVICES.map((name) => {
    const { "parked messages": parked = 0, ...rest } = counted[name];
    return { name, parked, rest };
  });
  return {
    parked: entries.reduce((sum, { parked }) => sum + parked, 0),
    rest: Object.fromEntries(entries.map(({ name, rest }) => [name, rest])) as Record<string, Counts>,
  };
}

const refuted = async ({ services }: System) => {
  const counts = Object.values(services).flatMap((replicas) =>
    replicas.map((program) => readMetric(program, "messaging_refuted_total")),
  );
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
};

describe("20: a forged deletion deletes nothing", () => {
  const resources = new AsyncDisposableStack();
  let stage: Stage;
  beforeAll(async () => {
    stage = await open(resources);
  }, 60_000);
  afterAll(() => resources.disposeAsync(), 60_000);

  test("of every kind of live record, and of records that never existed: parked, counted, nothing changed", async () => {
    const { system, databases, places } = stage;
    const before = await rows(databases);
    const victims = places.map(victimsOf);
    await publishDeletions(system.nats.url, [...victims, ...places.map(strangers)]);

    const forged = 2 * DELIVERIES * places.length;
    await waitFor(async () => (await rows(databases)).parked >= forged || undefined, DEADLINE);
    await databases.drained(20_000);
    const after = await rows(databases);
    expect(after.rest).toEqual(before.rest);
    expect(await refuted(system)).toBe(forged / 2);
    const reported = async () =>
      (await Promise.all(SERVICES.map((name) => conditionsOf(system.services[name][0])))).every((names) =>
        names.includes("unknown-deletions"),
      ) || undefined;
    await waitFor(reported, DEADLINE);
    const complaints = (await Promise.all(places.map(usePlace))).flat();
    expect(complaints).toEqual([]);
    writeReport({
      what: "forged-events",
      promise: 20,
      replicas: 2,
      forged,
      refuted: await refuted(system),
      unknown: forged / 2,
      ended: 0,
      unusable: complaints.length,
    });
  }, 60_000);

  test("true deletions are applied next to forged ones of the same records", async () => {
    const { system, databases, places } = stage;
    const [place] = places;
    if (place === undefined) throw new TypeError("no place");
    const parts = await createParts(place.rest, place.organization, "deleted in truth");
    await linkParts(place.rest, parts);
    await publishDeletions(system.nats.url, [{ ...parts, organization: place.organization }]);
    await made(place.rest.delete(`/identity/teams/${parts.team}`));
    await made(place.rest.delete(`/environments/${parts.environment}`));
    const links = `
      select
      from workspace.assignments
      where workspace_id = $1 and kind in ('team', 'environment')`;
    await waitFor(async () => (await databases.query(links, [parts.workspace])).length === 0 || undefined, DEADLINE);
    expect(await usePlace(place)).toEqual([]);
  }, 60_000);

  test("control: without verification by the owner, all of it is deleted", async () => {
    await using unprotected = new AsyncDisposableStack();
    // Nothing is restored meanwhile, so that the whole damage is visible.
    const { system, databases, places } = await open(unprotected, ["verifiedDeletions", "clearedTombstones"]);
    const before = await rows(databases);
    await publishDeletions(system.nats.url, places.map(victimsOf));
    const lost = async () => {
      const { rest } = await rows(databases);
      const live = (counts: Record<string, Counts>, service: string, sort: string) => counts[service]?.[sort] ?? 0;
      const sorts = [
        ["workspace", "workspaces live"],
        ["environment", "environments live"],
        ["workspace", "links to team"],
      ] as const;
      return sorts.map(([service, sort]) => live(before.rest, service, sort) - live(rest, service, sort));
    };
    const enough = async () => (await lost()).every((count) => count >= places.length) || undefined;
    await waitFor(enough, DEADLINE);
    const [workspaces, environments, links] = await lost();
    writeReport({ what: "forged-events-control", promise: 20, workspaces, environments, links });
  }, 60_000);
});
