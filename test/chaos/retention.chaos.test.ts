import { type RemovedProtection, waitFor } from "@cloud/testkit";
import {
  byControl,
  calibrated,
  isInTime,
  judgeTime,
  latenciesOf,
  measureUntil,
  runFigures,
  startLoad,
  writeReport,
} from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import { restClients } from "../e2e/rest.ts";
import { controls } from "./controls.ts";
import { countLines, insertOldLines } from "./retention/old-lines.ts";
import { runPurge } from "./retention/run-purge.ts";
import { expectSound } from "./system/expect-sound.ts";
import { countRowsPerTransaction } from "./system/rows-per-transaction.ts";
import { startSystem } from "./system/start-system.ts";
import { openDatabases, type SystemDatabases } from "./system/system-databases.ts";

const LINES = runFigures({ ci: 100_000, long: 1_000_000 });
/** Lines and milliseconds of a transaction; and the p99 of others, compared with the p99 before. */
const MOST = { lines: 500, transactionMs: 200, ratio: 2 };
const PER_SECOND = 60;
const WINDOW_MS = 10_000;
const WARM_UP_MS = 5_000;

/** The age of the oldest transaction of the operator's command in milliseconds; 0 if there is none. */
const TRANSACTION = `
  select coalesce(max(extract(epoch from clock_timestamp() - xact_start) * 1000), 0)::float8 as ms
  from pg_stat_activity
  where application_name = 'workspace operator'`;

async function startPurged() {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem();
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const { user } = restClients(system.demo);
  const [organization] = system.demo.organizations;
  const ask = async () => (await user.get(`/workspaces?orgId=${organization?.id}`)).status;

  /** Sends ordinary requests until `done`, and measures them. */
  const besides = async (done: (now: number) => boolean) => {
    const load = startLoad(PER_SECOND, ask);
    await waitFor(() => done(load.now()) || undefined, { deadlineMs: 600_000 });
    const samples = await load.stop();
    const failed = samples.filter(({ result }) => result !== 200).length;
    return { failed, ...latenciesOf(samples.map(({ ms }) => ms)) };
  };
  const deleted = await countRowsPerTransaction(databases, "lines");
  const running = resources.move();
  return { system, databases, deleted, besides, stop: () => running.disposeAsync() };
}

/** Samples how long the purge keeps a transaction, and so its locks, open. */
function watchTransactions({ of }: SystemDatabases) {
  const watching = startLoad(40, async () => (await of.workspace<{ ms: number }>(TRANSACTION))[0]?.ms ?? 0);
  return async () => Math.round(Math.max(...(await watching.stop()).map(({ result = 0 }) => result)));
}

type Purged = Awaited<ReturnType<typeof startPurged>>;

interface Purging {
  readonly lines: number;
  readonly removed: readonly RemovedProtection[];
}

async function measure({ system, databases, deleted, besides }: Purged, { lines, removed }: Purging) {
  const { young } = await countLines(databases);
  await insertOldLines(databases, lines);
  await deleted.forget();
  const listed = await runPurge(system, ["--dry-run"]);
  const alone = await besides((now) => now > WINDOW_MS);
  const longest = watchTransactions(databases);
  let printed: string | undefined;
  const purging = runPurge(system, [], removed).then((text) => {
    printed = text;
  });
  const purged = await besides(() => printed !== undefined);
  await purging;
  const transactionMs = await longest();
  const left = await countLines(databases);
  expect({ listed, printed, left }).toEqual({
    listed: expect.stringContaining(`activity_events: ${lines} rows are older than 365 days\n`),
    printed: expect.stringContaining(`activity_events: ${lines} rows older than 365 days were deleted\n`),
    left: { old: 0, young },
  });
  const ratio = Math.round((purged.p99 / alone.p99) * 100) / 100;
  expect([alone.failed, purged.failed]).toEqual([0, 0]);
  const p99 = { alone: alone.p99, purged: purged.p99 };
  return { lines, perTransaction: await deleted.max(), p99, ratio, transactionMs };
}

test("a purge of the activity log holds no lock for long, and others notice little of it", async () => {
  await using resources = new AsyncDisposableStack();
  const stage = await startPurged();
  resources.defer(() => stage.stop());
  await stage.besides((now) => now > WARM_UP_MS);
  const boundsOf = ({ transactionMs, p99, factor }: Awaited<ReturnType<typeof measure>> & { factor: number }) => {
    const [longest, others] = ["retention: the longest transaction", "retention: others, p99"];
    return [
      { what: longest, measuredMs: transactionMs, limitMs: MOST.transactionMs, factor },
      byControl({ what: others, measuredMs: p99.purged, limitMs: MOST.ratio * p99.alone, factor }),
    ];
  };
  const figures = await measureUntil(
    (one) => boundsOf(one).every(isInTime),
    async () => {
      const measured = await calibrated(() => measure(stage, { lines: LINES, removed: [] }));
      expect(measured.perTransaction).toBeLessThanOrEqual(MOST.lines);
      return measured;
    },
  );
  writeReport({ what: "chaos-retention", promise: 29, ...figures });
  judgeTime(...boundsOf(figures));
  await expectSound(stage.system, stage.databases);
}, 600_000);

test("control: without batches, all is one transaction", async () => {
  await using resources = new AsyncDisposableStack();
  const stage = await startPurged();
  resources.defer(() => stage.stop());
  await stage.besides((now) => now > WARM_UP_MS);
  const figures = await measure(stage, { lines: LINES, removed: controls.purgeBatches });
  writeReport({ what: "chaos-retention-control", promise: 29, ...figures });
  expect(figures.perTransaction).toBe(LINES);
}, 600_000);
