import { waitFor } from "@cloud/testkit";
import { killOnSchedule, startDuplicator } from "@cloud/testkit/faults";
import { createRandom, runFigures, runSeed, startClients, writeReport } from "@cloud/testkit/figures";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type EventStream, openEventStream } from "./duplicates/event-stream.ts";
import { type CountingService, startCountingService } from "./duplicates/start-counting-service.ts";
import { compareWithLedger, nothingFound } from "./ledger/compare-with-ledger.ts";
import { createClients } from "./ledger/create-clients.ts";
import { createLedger } from "./ledger/ledger.ts";
import { type LedgerClient, sendSequence } from "./ledger/send-sequence.ts";
import { expectSound } from "./system/expect-sound.ts";
import { type System, startSystem } from "./system/start-system.ts";
import { openDatabases, type SystemDatabases } from "./system/system-databases.ts";

const figures = runFigures({ ci: { mutations: 1000, kills: 4 }, long: { mutations: 8000, kills: 40 } });
const CLIENTS = 8;
const seed = runSeed();
const resources = new AsyncDisposableStack();
const ledger = createLedger();

let system: System;
let databases: SystemDatabases;
let stream: EventStream;
let counting: CountingService;
let careless: CountingService;
/** Number of copies of each event in the stream, by id, before all were published again. */
let stored: Map<string, number>;

const deadlineMs = runFigures({ ci: 120_000, long: 600_000 });

beforeAll(async () => {
  system = await startSystem();
  resources.defer(system.stop);
  databases = openDatabases(system);
  resources.defer(databases.close);
  stream = await openEventStream(system);
  resources.defer(stream.close);
  counting = await startCountingService(system, databases, "counting", []);
  resources.defer(counting.close);
  careless = await startCountingService(system, databases, "careless", ["inbox"]);
  resources.defer(careless.close);

  const clients = await createClients(system, ledger, CLIENTS, seed);
  await databases.drained(20_000);
  const before = (await stream.read()).length;
  await mutateWhileDuplicated(clients);
  const messages = await stream.read();
  stored = countById(messages.slice(before).map((message) => message.header.get("ce-id")));
  await stream.republish(messages);
  await databases.drained(60_000);
}, deadlineMs);

afterAll(() => resources.disposeAsync());

/** Delivers every message three times, in a different order, while its consumers are killed. */
async function mutateWhileDuplicated(clients: readonly LedgerClient[]) {
  await using ends = new AsyncDisposableStack();
  const duplicator = await startDuplicator({
    natsUrl: system.nats.url,
    subjects: "cloud.v1.>",
    copies: 2,
    window: 40,
    longestMs: 200,
    random: createRandom(seed),
  });
  ends.defer(duplicator.stop);
  const load = startClients(CLIENTS, 50, async (index) => {
    const client = clients[index];
    return client === undefined || (await sendSequence(client));
  });
  ends.defer(load.stop);
  const { identity, environment, workspace } = system.services;
  await killOnSchedule({
    victims: [counting, workspace[0], identity[0], environment[0]],
    kills: figures.kills,
    pauseMs: [300, 700],
    deadMs: [0, 100],
    random: createRandom(seed + 1),
  });
  await waitFor(() => ledger.confirmed() >= figures.mutations || undefined, { deadlineMs: 60_000 });
  await load.stop();
  await databases.drained(60_000);
  await ends.disposeAsync();
  await databases.drained(60_000);
}

function countById(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

const doubled = (counts: ReadonlyMap<string, number>) => [...counts].filter(([, times]) => times > 1);

describe("no effect happens twice, with every message delivered 3 times and once more after the dedupe window", () => {
  test("in the system, and in a service that counts", async () => {
    const findings = await compareWithLedger(databases, ledger);
    const counts = await counting.counts();
    const duplicates = await duplicatesOf(system);
    const deliveredThrice = [...stored.values()].filter((times) => times >= 3).length;
    writeReport({
      what: "duplicates",
      promise: 2,
      confirmed: ledger.confirmed(),
      events: stored.size,
      deliveredThrice,
      duplicatesIgnored: duplicates,
      effectsOwed: findings.owed,
      effectsDoubled: findings.doubled.length,
      counted: counts.size,
      countedTwice: doubled(counts).length,
    });
    expect(deliveredThrice).toBe(stored.size);
    expect(duplicates).toBeGreaterThan(counts.size);
    expect(ledger.wrong).toEqual([]);
    expect(findings).toEqual({ ...nothingFound, owed: expect.any(Number) });
    expect(counts.size).toBeGreaterThan(figures.mutations / 10);
    expect(doubled(counts)).toEqual([]);
    await expectSound(system, databases);
    expect(counting.crashes()).toBe(0);
  });

  test("control: without the inbox they happen four times", async () => {
    const counts = await careless.counts();
    const countedTwice = doubled(counts).length;
    writeReport({ what: "duplicates-control", promise: 2, counted: counts.size, countedTwice });
    expect(countedTwice).toBe(counts.size);
    expect(Math.max(...counts.values())).toBeGreaterThanOrEqual(4);
  });
});

/** Counts deliveries of events applied before, since the last start of each service. */
async function duplicatesOf({ services }: System): Promise<number> {
  const pages = Object.values(services).flatMap((replicas) =>
    replicas.map(({ operatorUrl }) => fetch(operatorUrl + "/metrics")),
  );
  const texts = await Promise.all((await Promise.all(pages)).map((page) => page.text()));
  const values = texts.join("\n").matchAll(/^messaging_duplicates_total\{.*\} (\d+)$/gm);
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
}
