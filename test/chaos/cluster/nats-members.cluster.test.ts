import { waitFor } from "@cloud/testkit";
import { calibrated, judgeTime, runFigures, runSeed, writeReport } from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import { ledgerFigures, nothingFound } from "../ledger/compare-with-ledger.ts";
import { expectSound } from "../system/expect-sound.ts";
import { startSystem } from "../system/start-system.ts";
import { openDatabases, type SystemDatabases } from "../system/system-databases.ts";
import { type LedgerLoad, startLedgerLoad } from "./ledger-load.ts";
import { databaseTime, eventsFlow, replicasCurrent, streamLeader, whileDead } from "./nats-members/outages.ts";
import { type NatsCluster, type NatsMember, startNatsCluster } from "./servers/start-nats-cluster.ts";

interface Stage {
  readonly cluster: NatsCluster;
  readonly databases: SystemDatabases;
  readonly load: LedgerLoad;
}

/** Two dead members of three are no majority: events wait, while so many writes are confirmed, about 3 s. */
const WRITES = 200;
/** Events must flow again so long after one member has died. An election takes up to 4 s, a redelivery 10 s. */
const FLOW_MS = 20_000;
/** The deadline of a wait: longer than any machine is judged by. */
const DEADLINE_MS = 5 * FLOW_MS;

async function withStage(
  replicas: number,
  run: (stage: Stage, resources: AsyncDisposableStack) => Promise<void>,
): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const cluster = await startNatsCluster();
  const nats = async () => cluster;
  const system = await startSystem({ nats, env: { NATS_REPLICAS: String(replicas) } });
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const load = await startLedgerLoad(system, databases, runSeed());
  resources.defer(() => load.stop().catch(() => undefined));
  await run({ cluster, databases, load }, resources);
  if (replicas > 1) await expectSound(system, databases);
}

/** Kills each member alone; returns how long after each kill events flowed, the member still dead. */
async function oneAtATime({ cluster, databases }: Stage, rounds: number): Promise<number[]> {
  const flowed: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const member of cluster.members) {
      await whileDead(cluster, [member], async () => {
        flowed.push(await eventsFlow(databases, await databaseTime(databases), DEADLINE_MS));
      });
    }
  }
  return flowed;
}

/** Kills each pair of members; returns how long the writes took meanwhile, in milliseconds. */
async function twoAtOnce(stage: Stage): Promise<number[]> {
  const tookMs: number[] = [];
  for (const spared of stage.cluster.members) {
    const pair = stage.cluster.members.filter((member) => member !== spared);
    await whileDead(stage.cluster, pair, async () => void tookMs.push(await writesGoOn(stage)));
  }
  return tookMs;
}

async function writesGoOn({ load: { ledger } }: Stage): Promise<number> {
  const [began, before] = [performance.now(), ledger.confirmed()];
  await waitFor(() => ledger.confirmed() >= before + WRITES || undefined, { deadlineMs: 30_000 });
  return Math.round(performance.now() - began);
}

describe("three nats-servers, three replicas of the stream, under load", () => {
  test("members killed one at a time, two at once, and one that returns with an empty disk: 0 lost, 0 twice, 0 refused", async () => {
    await withStage(3, async (stage) => {
      const { cluster, databases, load } = stage;
      await replicasCurrent(cluster);
      const { flowedMs, factor } = await calibrated(async () => {
        return { flowedMs: await oneAtATime(stage, runFigures({ ci: 1, long: 5 })) };
      });
      const withoutMajorityMs = await twoAtOnce(stage);
      const [first] = cluster.members;
      await whileDead(cluster, [first], () => first.wipe());
      await eventsFlow(databases, await databaseTime(databases), DEADLINE_MS);
      const findings = await load.compare();
      writeReport({
        what: "cluster-nats-members",
        promise: 32,
        killed: flowedMs.length + 2 * withoutMajorityMs.length + 1,
        flowedMs,
        factor,
        writes: WRITES,
        withoutMajorityMs,
        ...ledgerFigures(load.ledger, findings),
      });
      expect(load.ledger.wrong).toEqual([]);
      expect(load.ledger.unknown()).toEqual({});
      expect(findings).toEqual({ ...nothingFound, owed: expect.any(Number) });
      expect(findings.owed).toBeGreaterThan(100);
      const slowest = Math.max(...flowedMs);
      judgeTime({ what: "nats-members: events flow", measuredMs: slowest, limitMs: FLOW_MS, factor });
    });
  }, 600_000);

  test("control: with one replica of the stream, events wait while its member is dead", async () => {
    await withStage(1, async ({ cluster, databases }) => {
      const name = await streamLeader(cluster);
      const leader = cluster.members.find((member) => member.name === name) as NatsMember;
      await leader.kill();
      const outcome = await eventsFlow(databases, await databaseTime(databases), 8_000).catch((error: Error) => error);
      writeReport({ what: "cluster-nats-members-control", promise: 32, outcome: String(outcome) });
      expect(outcome).toBeInstanceOf(Error);
      await leader.start();
    });
  }, 90_000);
});
