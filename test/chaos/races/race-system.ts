import { runFigures } from "@cloud/testkit/figures";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { expectSound } from "../system/expect-sound.ts";
import { type System, type SystemOptions, startSystem } from "../system/start-system.ts";
import { openDatabases, type SystemDatabases } from "../system/system-databases.ts";
import { type Replicas, reachReplicas } from "./replicas.ts";

/** The stage of a race: the whole system, its tables, and clients of each replica. */
export interface RaceSystem {
  readonly system: System;
  readonly databases: SystemDatabases;
  readonly replicas: Replicas;
}

/** The milliseconds after which a race of the system fails. */
export const DEADLINE_MS = runFigures({ ci: 120_000, long: 1_200_000 });

/** On a slow machine, searches of 8 clients in one organization wait longer for their turn than a user would. */
const PATIENT = { HEAVY_READ_WAIT_MS: "20000" };

/** Starts a system before the tests of a file or block, and stops it after them. Returns a getter for the tests. */
export function onSystem(options: SystemOptions): () => RaceSystem {
  let stage: RaceSystem | undefined;
  beforeAll(async () => {
    const system = await startSystem({ env: PATIENT, ...options });
    stage = { system, databases: openDatabases(system), replicas: await reachReplicas(system) };
  }, 60_000);
  afterAll(async () => {
    await stage?.replicas.close();
    await stage?.databases.close();
    await stage?.system.stop();
  }, 60_000);
  return () => {
    if (stage === undefined) throw new Error("the system has not started");
    return stage;
  };
}

/** Counts the links, of all kinds, to records that do not exist. */
export async function countDanglingLinks({ databases }: RaceSystem): Promise<number> {
  return Object.values(await databases.dangling()).reduce((sum, count) => sum + count, 0);
}

/** Checks after races that no process has crashed, and that no repair was needed. */
export async function expectSoundRace({ system, databases, replicas }: RaceSystem): Promise<void> {
  await expectSound(system, databases);
  expect(replicas.gateways.map((gateway) => gateway.crashes())).toEqual([0, 0]);
}
