import { startClients } from "@cloud/testkit/figures";
import { compareWithLedger, type Findings } from "../ledger/compare-with-ledger.ts";
import { createClients } from "../ledger/create-clients.ts";
import { createLedger, type Ledger } from "../ledger/ledger.ts";
import { sendSequence } from "../ledger/send-sequence.ts";
import type { System } from "../system/start-system.ts";
import type { SystemDatabases } from "../system/system-databases.ts";

/** Clients whose confirmed changes are recorded. */
export interface LedgerLoad {
  readonly ledger: Ledger;
  /** Stops the clients. Idempotent. */
  stop(): Promise<void>;
  /** Stops the clients, waits until every event is published and consumed, and compares. */
  compare(): Promise<Findings>;
}

const CLIENTS = 8;
/** The consumers of a killed member's durables are redelivered after 10 s. */
const DRAIN_MS = 60_000;

/** Starts clients that create, link and delete records one after the other, as fast as they get replies. */
export async function startLedgerLoad(system: System, databases: SystemDatabases, seed: number): Promise<LedgerLoad> {
  const ledger = createLedger();
  const clients = await createClients(system, ledger, CLIENTS, seed);
  const load = startClients(CLIENTS, 50, async (index) => {
    const client = clients[index];
    return client === undefined || (await sendSequence(client));
  });
  return {
    ledger,
    stop: load.stop,
    compare: async () => {
      await load.stop();
      await databases.drained(DRAIN_MS);
      return await compareWithLedger(databases, ledger);
    },
  };
}
