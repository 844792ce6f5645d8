import { waitFor } from "@cloud/testkit";
import { killOnSchedule, type Victim } from "@cloud/testkit/faults";
import { createRandom, runFigures, runSeed, startClients, writeReport } from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import type { Protection } from "./controls.ts";
import { compareWithLedger, ledgerFigures, nothingFound } from "./ledger/compare-with-ledger.ts";
import { createClients } from "./ledger/create-clients.ts";
import { createLedger, type Ledger } from "./ledger/ledger.ts";
import { sendSequence } from "./ledger/send-sequence.ts";
import { expectSound } from "./system/expect-sound.ts";
import { type System, startSystem } from "./system/start-system.ts";
import { openDatabases } from "./system/system-databases.ts";

type Server = "nats" | "postgres" | "postgres-immediate";

interface Figures {
  /** Kills of services and the gateway. Kills of Postgres and NATS are counted in `serverKills`. */
  readonly programKills: number;
  readonly serverKills: number;
  /** The servers to kill; one listed twice is killed more often. */
  readonly servers: readonly [Server, ...Server[]];
  /** The least number of confirmed changes. */
  readonly mutations: number;
}

const servers: Figures["servers"] = ["nats", "nats", "postgres", "postgres-immediate"];
const figures = runFigures<Figures>({
  ci: { programKills: 44, serverKills: 18, servers, mutations: 5000 },
  long: { programKills: 290, serverKills: 112, servers, mutations: 20_000 },
});
const CLIENTS = 12;

describe("no event is lost under kills of services, relays, consumers, NATS and Postgres", () => {
  test(
    "with mutations that come through REST",
    async () => {
      const { ledger, findings, databases, system, report, close } = await mutateUnderKills(figures, []);
      try {
        writeReport({ what: "kills", promise: 1, ...report });
        expect(report.kills).toBeGreaterThanOrEqual(60);
        expect(ledger.confirmed()).toBeGreaterThanOrEqual(figures.mutations);
        expect(ledger.wrong).toEqual([]);
        expect(findings).toEqual({ ...nothingFound, owed: expect.any(Number) });
        expect(findings.owed).toBeGreaterThan(figures.mutations / 10);
        await expectSound(system, databases);
      } finally {
        await close();
      }
    },
    runFigures({ ci: 300_000, long: 1_200_000 }),
  );

  test("control: without the outbox, effects are lost", async () => {
    const few: Figures = { programKills: 2, serverKills: 4, servers: ["nats"], mutations: 300 };
    const { findings, report, close } = await mutateUnderKills(few, ["outbox"]);
    await close();
    writeReport({ what: "kills-control", promise: 1, ...report });
    expect(findings.missing.length).toBeGreaterThan(0);
  }, 120_000);
});

/** Kills and mutates concurrently until both have reached their figure, then waits until all effects have happened. */
async function mutateUnderKills(wanted: Figures, remove: Protection[]) {
  const seed = runSeed();
  const system = await startSystem({ remove });
  const databases = openDatabases(system);
  const resources = new AsyncDisposableStack();
  resources.defer(system.stop);
  resources.defer(databases.close);
  const close = () => resources.disposeAsync();
  try {
    const ledger = createLedger();
    const clients = await createClients(system, ledger, CLIENTS, seed);
    const began = performance.now();
    const load = startClients(CLIENTS, 50, async (index) => {
      const client = clients[index];
      return client === undefined || (await sendSequence(client));
    });
    resources.defer(() => load.stop().catch(() => undefined));
    const killed = await killBoth(system, wanted, seed);
    const seconds = secondsSince(began);
    await reached(ledger, wanted.mutations);
    await load.stop();
    const mutated = performance.now();
    await databases.drained(60_000);
    const findings = await compareWithLedger(databases, ledger);
    const kills = Object.values(killed).reduce((sum, count) => sum + count, 0);
    const report = { kills, killed, seconds, drainedAfter: secondsSince(mutated), ...ledgerFigures(ledger, findings) };
    return { system, databases, ledger, findings, report, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function reached(ledger: Ledger, mutations: number): Promise<void> {
  const enough = () => {
    if (ledger.confirmed() >= mutations) return true;
    throw new Error(JSON.stringify({ confirmed: ledger.confirmed(), unknown: ledger.unknown(), wrong: ledger.wrong }));
  };
  await waitFor(enough, { deadlineMs: runFigures({ ci: 120_000, long: 300_000 }) });
}

/** Kills programs in one lane, Postgres and NATS in another, so that one of each may be dead at a time. */
async function killBoth(system: System, { programKills, serverKills, servers }: Figures, seed: number) {
  const { identity, environment, workspace } = system.services;
  const programs = killOnSchedule({
    victims: [identity[0], environment[0], workspace[0], workspace[0], system.gateway],
    kills: programKills,
    pauseMs: [300, 900],
    deadMs: [0, 150],
    random: createRandom(seed),
  });
  const [first, ...others] = servers.map((name) => victimOf(system, name));
  const beside = killOnSchedule({
    victims: [first as Victim, ...others],
    kills: serverKills,
    pauseMs: [1200, 2800],
    deadMs: [50, 400],
    random: createRandom(seed + 1),
  });
  const [ofPrograms, ofServers] = await Promise.all([programs, beside]);
  return { ...ofPrograms, ...ofServers };
}

function victimOf({ nats, postgres }: System, name: Server): Victim {
  switch (name) {
    case "nats":
      return { name, kill: nats.kill, start: nats.start };
    case "postgres":
      return { name, kill: postgres.kill, start: postgres.start };
    case "postgres-immediate":
      return { name, kill: postgres.stopImmediately, start: postgres.start };
    default:
      return name satisfies never;
  }
}

const secondsSince = (moment: number) => Math.round((performance.now() - moment) / 100) / 10;
