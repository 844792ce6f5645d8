import { waitFor } from "@cloud/testkit";
import { type Clients, startClients } from "@cloud/testkit/figures";
import { createClients } from "../ledger/create-clients.ts";
import { createLedger, type Ledger } from "../ledger/ledger.ts";
import { sendSequence } from "../ledger/send-sequence.ts";
import type { ServiceName, System } from "../system/start-system.ts";
import { loadTheOthers } from "./load-the-others.ts";
import { actAfterTheMoment, createWitnesses, type Witnesses } from "./witnesses.ts";

export interface RestoreOptions {
  readonly name: ServiceName;
  /** The first number of the load's users. */
  readonly firstClient: number;
  readonly clients: number;
  /** Milliseconds of its history that the service loses. */
  readonly lostMs: number;
  readonly seed: number;
}

export interface Played {
  readonly ledger: Ledger;
  readonly witnesses: Witnesses;
  /** Wrong responses before the restore. */
  readonly wrongBefore: readonly string[];
  /** During the restore: statuses of failed requests that do not need the service. */
  readonly refusedMeanwhile: readonly (number | undefined)[];
  readonly figures: {
    readonly confirmed: number;
    readonly backUpMs: number;
    readonly restoreMs: number;
    readonly requestsMeanwhile: number;
  };
}

const DEADLINE_MS = 60_000;

/**
 * Runs a load on all services; takes a base backup meanwhile, notes a moment, and continues the load; then restores the
 * Postgres of one service to that moment while its programs and the others keep running. Returns when the service is
 * ready again and the load has ended.
 */
export async function playRestore(system: System, options: RestoreOptions): Promise<Played> {
  const { name, firstClient, clients: count, lostMs, seed } = options;
  const postgres = system.postgresOf[name];
  const ledger = createLedger();
  const clients = await createClients(system, ledger, count, seed, firstClient);
  const witnesses = await createWitnesses(system, ledger, name);
  const confirmed = (more: number) => {
    const enough = ledger.confirmed() + more;
    return waitFor(() => ledger.confirmed() >= enough || undefined, { deadlineMs: DEADLINE_MS });
  };
  const load: Clients = startClients(count, 50, async (index) => {
    const client = clients[index];
    return client === undefined || (await sendSequence(client));
  });
  try {
    // 1. The backup under load, and the WAL written after it.
    await confirmed(50);
    const backUpMs = await timed(() => postgres.backUp());
    await confirmed(50);
    const moment = await postgres.markMoment();
    // 2. What will be lost.
    const until = performance.now() + lostMs;
    await actAfterTheMoment(system, ledger, witnesses);
    await waitFor(() => performance.now() >= until || undefined, { deadlineMs: lostMs + DEADLINE_MS });
    const wrongBefore = [...ledger.wrong];
    // 3. The restore, while the others keep running.
    const others = name === "identity" ? undefined : loadTheOthers(witnesses.kept, name);
    const restoreMs = await timed(() => postgres.restoreTo(moment)).finally(() => others?.stop());
    const meanwhile = others?.samples().map(({ result }) => result?.status) ?? [];
    await isReady(system, name);
    await confirmed(20);
    return {
      ledger,
      witnesses,
      wrongBefore,
      refusedMeanwhile: meanwhile.filter((status) => status === undefined || status >= 300),
      figures: { confirmed: ledger.confirmed(), backUpMs, restoreMs, requestsMeanwhile: meanwhile.length },
    };
  } finally {
    await load.stop();
  }
}

async function isReady(system: System, name: ServiceName): Promise<void> {
  const readiness = () => Promise.all(system.services[name].map(({ operatorUrl }) => fetch(operatorUrl + "/readyz")));
  await waitFor(async () => (await readiness()).every(({ ok }) => ok) || undefined, { deadlineMs: DEADLINE_MS });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return Math.round(performance.now() - began);
}
