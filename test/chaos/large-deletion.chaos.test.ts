import { type RemovedProtection, waitFor } from "@cloud/testkit";
import { killOnSchedule, stopOnSchedule } from "@cloud/testkit/faults";
import {
  calibrated,
  createRandom,
  isInTime,
  judgeTime,
  measureUntil,
  runFigures,
  runSeed,
  startLoad,
  writeReport,
} from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import { restClients } from "../e2e/rest.ts";
import { controls } from "./controls.ts";
import { countLeft, fillOrganization } from "./large-deletion/fill-organization.ts";
import { longestHold } from "./large-deletion/longest-hold.ts";
import { expectSound } from "./system/expect-sound.ts";
import { countRowsPerTransaction } from "./system/rows-per-transaction.ts";
import { startSystem } from "./system/start-system.ts";
import { openDatabases } from "./system/system-databases.ts";

const RECORDS = runFigures({ ci: 20_000, long: 100_000 });
const KILLS = runFigures({ ci: 8, long: 20 });
/** The longest time for which a lock is held. */
const MAX_MS = 200;
/** Records of a kind that one transaction deletes. */
const MAX_RECORDS = 100;
const DEADLINE = { deadlineMs: 240_000 };

interface Options {
  readonly records: number;
  readonly kills: number;
  /** How often both programs are stopped for a second, in turn; 0 if absent. */
  readonly stops?: number;
  readonly removeAlso?: readonly RemovedProtection[];
}

/** Deletes a large organization, kills both services meanwhile, and reports what is left of it at the end. */
async function deleteLarge({ records, kills, stops = 0, removeAlso = [] }: Options, ends: (live: number) => boolean) {
  await using resources = new AsyncDisposableStack();
  // Redelivered after 1 s instead of 10 s: a run of minutes takes less than one.
  const system = await startSystem({ remove: ["ackWait"], removeAlso });
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const { orgAdmin, providerAdmin } = restClients(system.demo);
  const organization = String((await orgAdmin.post("/identity/organizations", { name: "Large" })).body.id);
  await waitFor(
    async () => (await orgAdmin.get(`/workspaces?orgId=${organization}`)).status === 200 || undefined,
    DEADLINE,
  );
  await fillOrganization(databases, organization, records);
  const changed = await countRowsPerTransaction(databases, "environments");

  const began = performance.now();
  const deleted = await orgAdmin.delete(`/identity/organizations/${organization}`);
  const confirmedMs = Math.round(performance.now() - began);
  const paths = ["environments", "connections", "workspaces", "designs"].map(
    (kind) => `/${kind}?orgId=all&pageSize=50`,
  );
  const watching = startLoad(10, async (index) => {
    const { status, body } = await providerAdmin.get(paths[index % paths.length] ?? "");
    return status === 200 ? JSON.stringify(body).includes(organization) : false;
  });
  resources.defer(async () => void (await watching.stop()));
  const transactions = startLoad(50, () => longestHold(databases));
  resources.defer(async () => void (await transactions.stop()));
  const { environment, workspace } = system.services;
  const random = createRandom(runSeed());
  const [pauseMs, deadMs] = [[200, 800] as const, [0, 200] as const];
  const victims = [environment[0], workspace[0]] as const;
  await stopOnSchedule({ victims, stops, pauseMs: 50, stoppedMs: 1000 });
  const killed = await killOnSchedule({ victims: [...victims], kills, pauseMs, deadMs, random });
  await databases.drained(DEADLINE.deadlineMs);
  await waitFor(async () => ends((await countLeft(databases, organization)).live) || undefined, DEADLINE);
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const seen = await watching.stop();
  const longest = Math.max(...(await transactions.stop()).map(({ result = 0 }) => result));
  const left = await countLeft(databases, organization);
  const figures = {
    status: deleted.status,
    confirmedMs,
    seconds,
    ...left,
    perTransaction: await changed.max(),
    longestTransactionMs: Math.round(longest),
    listed: seen.filter(({ result }) => result === true).length,
    lists: seen.length,
    killed,
  };
  return { figures, system, databases, close: resources.move() };
}

const isGone = (live: number) => live === 0;

const longest = ({ longestTransactionMs, factor }: { longestTransactionMs: number; factor: number }) => {
  const what = "large-deletion: the longest transaction";
  return { what, measuredMs: longestTransactionMs, limitMs: MAX_MS, factor };
};

/** Deletes large organizations until the longest transaction fits; what is counted must hold each time. */
function measureLongest(options: Options) {
  return measureUntil(
    (one) => isInTime(longest(one)),
    async () => {
      const { figures, factor, system, databases, close } = await calibrated(() => deleteLarge(options, isGone));
      await using _closed = close;
      expect(figures).toMatchObject({ status: 204, live: 0, silent: 0, otherTimes: 0, listed: 0 });
      expect(figures.perTransaction).toBeLessThanOrEqual(MAX_RECORDS);
      await expectSound(system, databases);
      return { ...figures, factor };
    },
  );
}

test("a large organization is deleted whatever is killed meanwhile, and never listed again", async () => {
  const figures = await measureLongest({ records: RECORDS, kills: KILLS });
  writeReport({ what: "chaos-large-deletion", promise: 30, records: RECORDS, ...figures });
  judgeTime(longest(figures));
}, 900_000);

test("its locks are not held for long, even if a program is stopped in the middle of it", async () => {
  const figures = await measureLongest({ records: RECORDS, kills: 0, stops: 6 });
  writeReport({ what: "chaos-large-deletion-locks", promise: 30, records: RECORDS, ...figures });
  judgeTime(longest(figures));
}, 900_000);

test("control: with a round trip for each statement, a program that is stopped keeps its locks", async () => {
  const removeAlso = controls.roundTrips;
  // As many as above, so that there are transactions at each of the stops.
  const { figures, close } = await deleteLarge({ records: 20_000, kills: 0, stops: 6, removeAlso }, () => true);
  await using _closed = close;
  writeReport({ what: "chaos-large-deletion-control", promise: 30, ...figures });
  expect(figures.longestTransactionMs).toBeGreaterThan(MAX_MS);
}, 600_000);

test("control: without batches, all records of a kind are deleted in one transaction", async () => {
  const removeAlso = controls.deletionBatches;
  const { figures, close } = await deleteLarge({ records: 2_000, kills: 0, removeAlso }, isGone);
  await using _closed = close;
  writeReport({ what: "chaos-large-deletion-control", promise: 30, ...figures });
  expect(figures.perTransaction).toBeGreaterThan(MAX_RECORDS);
}, 600_000);

test("control: acknowledged before the last batch, a kill leaves records", async () => {
  const removeAlso = controls.deletionBeforeAck;
  const { figures, close } = await deleteLarge({ records: 20_000, kills: 4, removeAlso }, () => true);
  await using _closed = close;
  writeReport({ what: "chaos-large-deletion-control", promise: 30, ...figures });
  expect(figures.live).toBeGreaterThan(0);
}, 600_000);
