import { startClients } from "@cloud/testkit/figures";
import { compareWithLedger, type Findings } from "../ledger/compare-with-ledger.ts";
import { createLedger, type Ledger } from "../ledger/ledger.ts";
import { liveOnce } from "../ledger/lives.ts";
import { createPeople } from "../ledger/people.ts";
import type { Behind } from "../system/look-behind.ts";
import type { System } from "../system/start-system.ts";

/** Clients whose confirmed changes are recorded. */
export interface LedgerLoad {
  readonly ledger: Ledger;
  /** Stops the clients. Idempotent. */
  stop(): Promise<void>;
  /** Stops the clients, waits until every event is published and consumed, and compares. */
  compare(): Promise<Findings>;
}

const PEOPLE = 8;
/** The consumers of a killed member's durables are redelivered after 10 s. */
const DRAIN_MS = 60_000;

/** Starts clients that create, link and delete records one after the other, as fast as they get replies. */
export async function startLedgerLoad(system: System, behind: Behind, seed: number): Promise<LedgerLoad> {
  const ledger = createLedger();
  const people = await createPeople(system, ledger, PEOPLE, seed);
  const clients = startClients(PEOPLE, 50, async (client) => {
    const person = people[client];
    return person === undefined || (await liveOnce(person));
  });
  return {
    ledger,
    stop: clients.stop,
    compare: async () => {
      await clients.stop();
      await behind.drained(DRAIN_MS);
      return await compareWithLedger(behind, ledger);
    },
  };
}

/** Returns the figures of a run for its report. */
export function ledgerFigures(ledger: Ledger, { lost, missing, doubled, unowed, parked, owed }: Findings) {
  return {
    confirmed: ledger.confirmed(),
    unknown: ledger.unknown(),
    wrong: ledger.wrong.length,
    effectsOwed: owed,
    changesLost: lost.length,
    effectsMissing: missing.length,
    effectsDoubled: doubled.length,
    effectsUnowed: unowed.length,
    messagesParked: parked,
  };
}
