import { createRandom, runFigures, runSeed, writeReport } from "@cloud/testkit/figures";
import { sideBySide } from "@cloud/testkit/races";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { raceCrossServiceLinks } from "./races/cross-service-links.ts";
import { newEnds, RACERS, raceIdenticalAssigns } from "./races/identical-assigns.ts";
import { raceLargeLists } from "./races/large-lists.ts";
import { raceForTheLastWorkspace } from "./races/last-workspace.ts";
import { countMadeByEvent, LISTS, raceForMyWorkspace } from "./races/new-organizations.ts";
import { type Replicas, reachReplicas } from "./races/replicas.ts";
import { raceSelectedWorkspaces } from "./races/selected-workspaces.ts";
import { expectSound } from "./system/expect-sound.ts";
import { type Behind, lookBehind } from "./system/look-behind.ts";
import { type System, type SystemOptions, startSystem } from "./system/start-system.ts";

const seed = runSeed();
const DEADLINE_MS = runFigures({ ci: 120_000, long: 1_200_000 });
let system: System;
let behind: Behind;
let replicas: Replicas;

/** On a slow machine, searches of 8 clients in one organization wait longer for their turn than a user would. */
const PATIENT = { HEAVY_READ_WAIT_MS: "20000" };

function onSystem(options: SystemOptions): void {
  beforeAll(async () => {
    system = await startSystem({ env: PATIENT, ...options });
    behind = lookBehind(system);
    replicas = await reachReplicas(system);
  }, 60_000);
  afterAll(async () => {
    await replicas.close();
    await behind.close();
    await system.stop();
  }, 60_000);
}

const danglingLinks = async () => Object.values(await behind.dangling()).reduce((sum, count) => sum + count, 0);

describe("with two replicas of every service", () => {
  onSystem({ replicas: 2, proxied: ["nats"] });

  test(
    "of 8 concurrent deletions of an organization's last workspaces one always remains, over REST",
    async () => {
      const rounds = runFigures({ ci: 50, long: 500 });
      const gateways = replicas.rest(system.demo.users.providerAdmin.token);
      const { left, outcomes } = await raceForTheLastWorkspace(behind, gateways, rounds);
      writeReport({
        what: "last-workspace-rest",
        promise: 7,
        rounds,
        racers: 8,
        replicas: 2,
        leastLeft: Math.min(...left),
        outcomes,
      });
      expect(left).toEqual(Array(rounds).fill(1));
      expect(outcomes).toEqual({
        "204": 7 * rounds,
        "500 cannot delete workspace: at least one workspace must exist for the organization LAST_WORKSPACE": rounds,
      });
    },
    DEADLINE_MS,
  );

  test.each(["environment", "team"] as const)(
    "assign against delete: no link to a deleted %s remains, and no list shows it",
    async (kind) => {
      const races = runFigures({ ci: 2000, long: 20_000 });
      const options = { kind, races, width: 64, random: createRandom(seed) };
      const { strange, shownDeleted, ...figures } = await raceCrossServiceLinks(system, replicas, behind, options);
      const dangling = await danglingLinks();
      const what = "assign-against-delete-workspace-" + kind;
      writeReport({ what, promise: 8, races, dangling, ...figures, shownDeleted: shownDeleted.length });
      expect([dangling, strange, shownDeleted]).toEqual([0, {}, []]);
      // Each came first in a good part of the races, and the lists were not empty.
      expect(Math.min(figures.assigned, figures.refused)).toBeGreaterThan(races / 10);
      expect(figures.listed).toBeGreaterThan(0);
    },
    DEADLINE_MS,
  );

  test.each(["environment", "team"] as const)(
    "lists of a workspace with 1,200 links show each assigned, removed or deleted %s at once",
    async (kind) => {
      const rounds = runFigures({ ci: 80, long: 1600 });
      const figures = await raceLargeLists(system, replicas, behind, { kind, rounds, random: createRandom(seed) });
      const { wrong, ...counted } = figures;
      writeReport({ what: "large-lists-" + kind, promise: 8, rounds, ...counted, wrong: wrong.length });
      expect(wrong).toEqual([]);
      expect(counted).toEqual({ linked: 1200, notLinked: 0 });
    },
    DEADLINE_MS,
  );

  test(
    "select against delete: no selection of a deleted workspace remains",
    async () => {
      const races = runFigures({ ci: 500, long: 20_000 });
      const options = { races, width: 64, random: createRandom(seed) };
      const { strange, ...figures } = await raceSelectedWorkspaces(system, replicas, behind, options);
      const dangling = await danglingLinks();
      writeReport({ what: "select-against-delete-workspace", promise: 8, races, dangling, ...figures });
      expect([dangling, strange]).toEqual([0, {}]);
      expect(Math.min(figures.assigned, figures.refused)).toBeGreaterThan(races / 10);
    },
    DEADLINE_MS,
  );

  test.each(["team", "environment", "connection"] as const)(
    "64 parallel identical assigns of a %s make 1 row and 64 equal bodies; of 64 removes 1 is 204",
    async (kind) => {
      const gateways = replicas.rest(system.demo.users.providerAdmin.token);
      const { rows, bodies, removed } = await raceIdenticalAssigns(behind, gateways, await newEnds(behind, kind));
      const figures = { racers: RACERS, replicas: 2, rows, bodies: Object.keys(bodies).length, removed };
      writeReport({ what: "identical-assigns-" + kind, promise: 9, ...figures });
      expect(rows).toBe(1);
      expect(Object.values(bodies)).toEqual([RACERS]);
      expect(Object.keys(bodies)[0]).toMatch(/^200 \{"id":"[0-9a-f-]{36}"/);
      const code = kind.toUpperCase() + "_ASSIGNMENT_NOT_FOUND";
      expect(removed).toEqual({ "204": 1, ["404 no such " + kind + " assignment " + code]: RACERS - 1 });
    },
    60_000,
  );

  test(
    "a new organization raced by 50 lists and the event gets exactly one My Workspace",
    async () => {
      const organizations = runFigures({ ci: 20, long: 200 });
      const gateways = replicas.rest(system.demo.users.user.token);
      const rounds = await sideBySide(organizations, 1, async (round) => {
        // NATS delivers the event of every second organization late: there the lists come first.
        system.proxies.nats.workspace.delay(round % 2 === 0 ? 0 : 100);
        return raceForMyWorkspace(behind, gateways);
      });
      system.proxies.nats.workspace.delay(0);
      await behind.drained(30_000);
      const made = await Promise.all(rounds.map((round) => round.made()));
      const byEvent = await countMadeByEvent(
        behind,
        rounds.map((round) => round.organization),
      );
      const max = Math.max(...made.map((workspaces) => workspaces.length));
      writeReport({ what: "new-organizations", promise: 10, organizations, lists: LISTS, replicas: 2, max, byEvent });
      expect(made.map((workspaces) => workspaces.length)).toEqual(Array(organizations).fill(1));
      // Every list showed just that one.
      expect(rounds.map(({ listed }) => listed)).toEqual(made);
      // Both came first.
      expect(byEvent).toBeGreaterThan(0);
      expect(byEvent).toBeLessThan(organizations);
    },
    DEADLINE_MS,
  );

  test("meanwhile no process crashed and no repair was needed", async () => {
    await expectSound(system, behind);
    expect(replicas.gateways.map((gateway) => gateway.crashes())).toEqual([0, 0]);
  }, 60_000);
});

describe("without tombstones, and with owners that list deleted records", () => {
  // The owners' replies are delayed here: consumers that verify would be delayed too, and no event would come in
  // between.
  onSystem({ proxied: ["peers"], remove: ["tombstone", "ownersLists", "verifiedDeletions"] });
  // Fewer at once: on a busy machine an event is late under load, and nothing dangles for that reason alone.
  const [races, width] = [100, 16];

  test.each(["environment", "team"] as const)(
    "control: links to a deleted %s remain, and lists show it",
    async (kind) => {
      const options = { kind, races, width, random: createRandom(seed) };
      const { shownDeleted, ...figures } = await raceCrossServiceLinks(system, replicas, behind, options);
      const dangling = (await behind.dangling())["workspace-" + kind];
      const what = "assign-against-delete-workspace-" + kind + "-control";
      writeReport({ what, promise: 8, races, dangling, ...figures, shownDeleted: shownDeleted.length });
      expect(dangling).toBeGreaterThan(0);
      expect(shownDeleted.length).toBeGreaterThan(0);
    },
    60_000,
  );

  test("control: lists of their owners with deleted records show them", async () => {
    const options = { kind: "team", rounds: 16, random: createRandom(seed) } as const;
    const { wrong } = await raceLargeLists(system, replicas, behind, options);
    writeReport({ what: "large-lists-control", promise: 8, rounds: 16, wrong: wrong.length });
    expect(wrong).not.toEqual([]);
  }, 60_000);

  test("control: selections of a deleted workspace remain", async () => {
    const options = { races, width, random: createRandom(seed) };
    const figures = await raceSelectedWorkspaces(system, replicas, behind, options);
    const dangling = (await behind.dangling())["selected-workspace"];
    writeReport({ what: "select-against-delete-workspace-control", promise: 8, races, dangling, ...figures });
    expect(dangling).toBeGreaterThan(0);
  }, 60_000);
});
