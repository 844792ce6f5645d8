import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type Program, waitFor } from "@cloud/testkit";
import { latenciesOf } from "@cloud/testkit/figures";
import pg from "pg";
import { mapAtOnce } from "../../test/chaos/system/map-at-once.ts";
import { type System, startSystem } from "../../test/chaos/system/start-system.ts";
import { restClients } from "../../test/e2e/rest.ts";
import { bundlePrograms } from "../harness/bundle-programs.ts";
import { cpuMsOf } from "../harness/cpu-time.ts";
import type { Recorder } from "../harness/figures.ts";
import { IMAGE_ENVIRONMENT } from "../harness/image-environment.ts";
import type { Part } from "../part.ts";
import { createTokens, type StoredToken } from "./create-tokens.ts";
import { type OpenWatches, openWatches } from "./open-watches.ts";

interface Size {
  readonly watches: number;
  /** The number of changes to one workspace, and to many. */
  readonly changes: readonly [number, number];
  readonly revoked: number;
  readonly idleMs: number;
}

const FULL: Size = { watches: 5_000, changes: [20, 200], revoked: 20, idleMs: 10_000 };
const SMALL: Size = { watches: 40, changes: [3, 5], revoked: 1, idleMs: 500 };

/**
 * Limits beyond the defaults, which are for one client: all watches come from one address and are of one user. The
 * reconciler has its default interval: in the chaos runs it passes every 2 s.
 */
const ENVIRONMENT = {
  RECONCILER_INTERVAL_MS: "300000",
  MAX_CONNECTIONS: "16000",
  MAX_CONNECTIONS_PER_ADDRESS: "16000",
  MAX_WATCHES: "8000",
  MAX_WATCHES_PER_USER: "8000",
};

/** Measures the cost of watches by REST: all of one workspace, and each of a workspace of its own. */
export const measureWatch: Part = async ({ small }, recorder) => {
  const size = small ? SMALL : FULL;
  await measureWatches(recorder, size, { name: "one workspace", workspaces: 1 });
  await measureWatches(
    recorder,
    { ...size, revoked: 0 },
    { name: `${size.watches} workspaces`, workspaces: size.watches },
  );
};

interface Spread {
  readonly name: string;
  readonly workspaces: number;
}

/** Measures in programs of their own, whose memory has not grown by other watches. */
async function measureWatches(recorder: Recorder, size: Size, { name, workspaces }: Spread): Promise<void> {
  const { watches: count, idleMs } = size;
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ mainOf: await bundlePrograms(), env: { ...IMAGE_ENVIRONMENT, ...ENVIRONMENT } });
  resources.defer(() => system.stop());
  const db = new pg.Client({ connectionString: system.superuserUrls.workspace });
  await db.connect();
  resources.defer(() => db.end());
  const workspaceIds = await createWorkspaces(system, workspaces);
  const programs = [system.gateway, system.services.workspace[0], system.services.identity[0]];
  const record = (what: string, program: string, unit: string, values: readonly number[]) =>
    recorder.record(
      { part: "watch", what: `${count} watches of ${name}, ${what}`, side: "cloud", program, unit },
      values,
    );

  const before = await measureIdle(db, programs, idleMs);
  const tokens = await createTokens(system.superuserUrls.identity, system.demo.users.orgAdmin.id, count);
  const secrets = tokens.map(({ secret }) => secret);
  const watches = await openWatches({ url: system.gateway.url, tokens: secrets, workspaceIds });
  resources.defer(async () => watches.close());
  const idle = await measureIdle(db, programs, idleMs);
  record("transactions of Postgres without them", "all", "1/s", [before.transactions]);
  record("transactions of Postgres", "all", "1/s", [idle.transactions]);
  for (const [at, { name: program }] of programs.entries()) {
    const cpuMs = (idle.cpuMs[at] ?? 0) - (before.cpuMs[at] ?? 0);
    const kilobytes = (idle.kilobytes[at] ?? 0) - (before.kilobytes[at] ?? 0);
    record("CPU of each", program, "µs/s", [(cpuMs * 1_000) / count]);
    record("memory of each", program, "kB", [kilobytes / count]);
  }
  const cpuBefore = programs.map(cpuOf);
  const changes = size.changes[workspaces === 1 ? 0 : 1];
  const delays = await measureArrivals(system, watches, { count, changes, workspaceIds });
  if (workspaces === 1) {
    for (const [at, program] of programs.entries()) {
      const cpuMs = cpuOf(program) - (cpuBefore[at] ?? 0);
      record("CPU of each delivery", program.name, "µs", [(cpuMs * 1_000) / delays.length]);
    }
  }
  const { p50, p99 } = latenciesOf(delays);
  record("from the PUT to the arrival, p50", "all", "ms", [p50]);
  record("from the PUT to the arrival, p99", "all", "ms", [p99]);
  const ends: number[] = [];
  for (const token of tokens.slice(0, size.revoked)) ends.push(await measureEnd(system, token, watches));
  if (ends.length === 0) return;
  record("from the revocation of a token to the end, p50", "all", "ms", [latenciesOf(ends).p50]);
  record("from the revocation of a token to the end, most", "all", "ms", [Math.max(...ends)]);
}

/**
 * Changes one workspace after another, and waits until all its watches have the event. Returns the milliseconds to each
 * arrival, from just before the PUT is sent: its answer may come behind the event.
 */
async function measureArrivals(
  { demo }: System,
  watches: OpenWatches,
  { count, changes, workspaceIds }: { count: number; changes: number; workspaceIds: readonly string[] },
): Promise<number[]> {
  const { orgAdmin } = restClients(demo);
  const delays: number[] = [];
  for (let change = 0; change < changes; change++) {
    await delay(Math.random() * 100);
    const workspaceId = workspaceIds[change % workspaceIds.length] ?? "";
    const arrivals = watches.arrivals(workspaceId);
    const earlier = arrivals.length;
    const sentAt = performance.now();
    const { status } = await orgAdmin.put(`/workspaces/${workspaceId}`, { name: `Watched ${change}` });
    if (status !== 200) throw new Error(`a workspace could not be changed: ${status}`);
    const expected = earlier + count / workspaceIds.length;
    await waitFor(() => arrivals.length >= expected || undefined, { deadlineMs: 30_000 });
    delays.push(...arrivals.slice(earlier).map((at) => at - sentAt));
  }
  return delays;
}

async function measureEnd({ demo }: System, { id, secret }: StoredToken, { ends }: OpenWatches): Promise<number> {
  const { status } = await restClients(demo).orgAdmin.delete(`/identity/tokens/${id}`);
  if (status !== 204) throw new Error(`a token could not be revoked: ${status}`);
  const revokedAt = performance.now();
  await waitFor(() => ends.has(secret) || undefined, { deadlineMs: 30_000 });
  return (ends.get(secret) ?? Number.NaN) - revokedAt;
}

function createWorkspaces({ demo }: System, count: number): Promise<string[]> {
  const { orgAdmin } = restClients(demo);
  return mapAtOnce(16, Array.from({ length: count }), async () => {
    const { status, body } = await orgAdmin.post("/workspaces", {
      organizationId: demo.organizations[0]?.id,
      name: "Watched",
    });
    if (status !== 201) throw new Error(`a workspace could not be created: ${status}`);
    return String(body.id);
  });
}

interface Idle {
  /** The transactions of the database a second. */
  readonly transactions: number;
  /** The CPU time of each program a second. */
  readonly cpuMs: readonly number[];
  readonly kilobytes: readonly number[];
}

async function measureIdle(db: pg.Client, programs: readonly Program[], ms: number): Promise<Idle> {
  const [transactionsBefore, cpuBefore] = [await countTransactions(db), programs.map(cpuOf)];
  await delay(ms);
  const [transactions, cpuAfter] = [await countTransactions(db), programs.map(cpuOf)];
  const seconds = ms / 1_000;
  return {
    transactions: (transactions - transactionsBefore) / seconds,
    cpuMs: cpuAfter.map((after, at) => (after - (cpuBefore[at] ?? 0)) / seconds),
    kilobytes: programs.map((program) => residentKilobytes(program.pid() ?? 0)),
  };
}

const cpuOf = (program: Program): number => cpuMsOf(program.pid() ?? 0);

async function countTransactions(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    "select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()",
  );
  return Number(rows[0]?.count);
}

function residentKilobytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
