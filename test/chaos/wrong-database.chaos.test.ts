import { waitFor } from "@cloud/testkit";
import { writeReport } from "@cloud/testkit/figures";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { countRows } from "./census/count-rows.ts";
import type { Protection } from "./controls.ts";
import { createParts, createPlace, linkParts, type Place } from "./places/create-place.ts";
import { made } from "./places/made.ts";
import { usePlace } from "./places/use-place.ts";
import { runRunbook } from "./restore/runbook.ts";
import { conditionsOf } from "./system/conditions-of.ts";
import { reconcilerPasses } from "./system/reconciler-passes.ts";
import { SERVICES, type ServiceName, type System, startSystem } from "./system/start-system.ts";
import { openDatabases, type SystemDatabases } from "./system/system-databases.ts";
import { repeatRequests, tally } from "./wrong-database/repeat-requests.ts";
import { restartOn } from "./wrong-database/restart-on.ts";
import { createWrongDatabases, type WrongDatabase } from "./wrong-database/wrong-databases.ts";

const REPLICAS = 2;
const env = { RECONCILER_INTERVAL_MS: "300", RECONCILER_GRACE_MS: "500" };

/** The services that refer to records of each service, and must report that it uses another database. */
const REFERRERS: Readonly<Record<ServiceName, readonly ServiceName[]>> = {
  identity: ["environment", "workspace"],
  environment: ["workspace"],
  workspace: ["identity"],
};

interface Stage {
  readonly system: System;
  readonly databases: SystemDatabases;
  readonly places: readonly Place[];
}

describe("18: a service on a wrong database does not affect the others", () => {
  const resources = new AsyncDisposableStack();
  let stage: Stage;
  beforeAll(async () => {
    stage = await open(resources);
  }, 90_000);
  afterAll(() => resources.disposeAsync(), 60_000);

  test.each(SERVICES)(
    "%s on an empty database, and on that of another service, for whole passes of the reconcilers",
    async (name) => {
      const runs = [];
      for (const database of await createWrongDatabases(stage.system, name)) {
        runs.push(await playWrongDatabase(stage, name, database));
      }
      writeReport({ what: `wrong-database-${name}`, promise: 18, replicas: REPLICAS, runs });
    },
    120_000,
  );

  test("accepted by mistake, it deletes nothing; accepting the right one again reverts that", async () => {
    const { system, databases, places } = stage;
    const [empty] = await createWrongDatabases(system, "environment");
    const accept = async (command: "showInstallation" | "acceptInstallation") =>
      await runRunbook(system, "workspace", command, { PEER: "environment" });
    const conditionsAre = (expected: string[]) =>
      waitFor(
        async () => {
          const held = await Promise.all(system.services.workspace.map(conditionsOf));
          for (const one of held) expect(one).toEqual(expected);
          return true;
        },
        { deadlineMs: 20_000 },
      );
    const before = await countRows(databases);
    try {
      await restartOn(system, "environment", empty?.urls);
      await conditionsAre(["installation-of-environment"]);
      expect(await accept("showInstallation")).toMatch(
        /^environment answers from installation .*\nit would be accepted/,
      );
      expect(await accept("acceptInstallation")).toContain("accepted");
      await conditionsAre(["unknown-workspace-environment"]);
      expect((await countRows(databases)).workspace).toEqual(before.workspace);
    } finally {
      await restartOn(system, "environment");
    }
    // Unknown references stay reported while the peer's replies do not count.
    await conditionsAre(["installation-of-environment", "unknown-workspace-environment"]);
    await accept("acceptInstallation");
    await conditionsAre([]);
    await reconcilerPasses(system.services.workspace, 2);
    expect(await countRows(databases)).toEqual(before);
    expect((await Promise.all(places.map(usePlace))).flat()).toEqual([]);
    await empty?.discard();
  }, 120_000);

  test("control: if unknown counts as deleted, links are lost permanently", async () => {
    await using unprotected = new AsyncDisposableStack();
    const { system, databases } = await open(unprotected, ["unknownIsNotDeleted"]);
    const [empty] = await createWrongDatabases(system, "environment");
    const before = await countRows(databases);
    await restartOn(system, "environment", empty?.urls);
    const links = async () => (await countRows(databases)).workspace["links to environment"] ?? 0;
    await waitFor(async () => (await links()) === 0 || undefined, { deadlineMs: 30_000 });
    await restartOn(system, "environment");
    await reconcilerPasses(system.services.workspace, 2);
    const [were, are] = [before.workspace["links to environment"], await links()];
    writeReport({ what: "wrong-database-control", promise: 18, links: were, left: are });
    expect([were, are]).toEqual([expect.any(Number), 0]);
    expect(were).toBeGreaterThan(0);
  }, 120_000);
});

async function open(resources: AsyncDisposableStack, remove: readonly Protection[] = []): Promise<Stage> {
  const system = await startSystem({ replicas: REPLICAS, ownPostgres: true, env, remove });
  resources.defer(() => system.stop());
  const databases = resources.adopt(openDatabases(system), (opened) => opened.close());
  const places = await Promise.all(["north", "east", "south"].map((name) => createPlace(system, name)));
  await leaveTombstones(system, places);
  await databases.drained(30_000);
  // They end the references to the teams that were deleted with their organization, and record the peers' installations.
  await reconcilerPasses(Object.values(system.services).flat(), 2);
  return { system, databases, places };
}

/** Deletes linked records of every kind, so that there are tombstones that could be lost or cleared wrongly. */
async function leaveTombstones(system: System, places: readonly Place[]): Promise<void> {
  for (const { name, organization, rest } of places) {
    const parts = await createParts(rest, organization, `${name} gone`);
    await linkParts(rest, parts);
    await made(rest.delete(`/identity/teams/${parts.team}`));
    await made(rest.delete(`/environments/${parts.environment}`));
    await made(rest.delete(`/workspaces/${parts.workspace}`));
  }
  const deleted = await createPlace(system, "gone");
  await made(deleted.rest.delete(`/identity/organizations/${deleted.organization}`));
}

async function playWrongDatabase({ system, databases, places }: Stage, name: ServiceName, database: WrongDatabase) {
  const peers = SERVICES.filter((other) => other !== name);
  const programs = peers.flatMap((peer) => system.services[peer]);
  await databases.drained(30_000); // what came before this has deleted records, too
  const before = await countRows(databases);
  const load = repeatRequests(places);
  try {
    // 1. The wrong database, for two passes of every peer: the first may have begun before.
    const outcome = await restartOn(system, name, database.urls);
    await reconcilerPasses(programs, 2);
    if (outcome === "serves") await expectReported(system, name);
    const meanwhile = await countRows(databases);
    for (const peer of peers) expect([peer, meanwhile[peer]]).toEqual([peer, before[peer]]);
    // 2. The right one again.
    const statuses = tally(load);
    expect(await restartOn(system, name)).toBe("serves");
    await load.stop();
    await databases.drained(30_000);
    await reconcilerPasses(programs, 2);
    expect(await countRows(databases)).toEqual(before);
    await conditionsEnded(system);
    const complaints = await Promise.all(places.map(usePlace));
    expect(complaints.flat()).toEqual([]);
    return { database: database.what, outcome, statuses };
  } finally {
    await load.stop();
    await database.discard();
  }
}

/** Checks that each peer with references to the service's records reports it, on every replica. */
async function expectReported(system: System, name: ServiceName): Promise<void> {
  const referrers = REFERRERS[name].flatMap((peer) => system.services[peer]);
  for (const program of referrers) {
    await waitFor(async () => (await conditionsOf(program)).includes(`installation-of-${name}`) || undefined, {
      deadlineMs: 10_000,
    });
  }
}

async function conditionsEnded(system: System): Promise<void> {
  const held = async () => (await Promise.all(system.programs.map(conditionsOf))).flat();
  await waitFor(async () => (await held()).length === 0 || undefined, { deadlineMs: 20_000 });
}
