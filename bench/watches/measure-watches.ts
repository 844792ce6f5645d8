import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { newId } from "@cloud/contract";
import { latenciesOf, type Program, waitFor } from "@cloud/testkit";
import pg from "pg";
import { type System, startSystem } from "../../test/chaos/system/start-system.ts";
import { restClients } from "../../test/rest.ts";
import { bundlePrograms } from "../harness/bundle-programs.ts";
import { cpuMsOf } from "../harness/cpu-time.ts";
import { IMAGE_ENVIRONMENT } from "../harness/image-environment.ts";
import type { Part } from "../part.ts";
import { createTokens, type StoredToken } from "./create-tokens.ts";
import { type OpenWatches, openWatches } from "./open-watches.ts";

const WATCHES = { full: 5_000, small: 40 };
const WORKSPACES = 50;
const EVENTS = { full: 200, small: 5 };
const REVOKED = { full: 20, small: 1 };
const IDLE_MS = { full: 10_000, small: 1_000 };

/** More than the defaults, which are for one client: all watches come from one address and are of one user. */
const LIMITS = {
  MAX_CONNECTIONS: "16000",
  MAX_CONNECTIONS_PER_ADDRESS: "16000",
  MAX_WATCHES: "8000",
  MAX_WATCHES_PER_USER: "8000",
};

/**
 * What watches by REST cost while nothing happens, each with a token of its own, how long after its commit an event
 * arrives, and how long after its token is revoked a watch ends.
 */
export const measureWatches: Part = async ({ small }, recorder) => {
  const size = small ? "small" : "full";
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ mainOf: await bundlePrograms(), env: { ...IMAGE_ENVIRONMENT, ...LIMITS } });
  resources.defer(() => system.stop());
  const db = new pg.Pool({ connectionString: system.superuserUrls.workspace, max: 2 });
  resources.defer(() => db.end());
  const workspaceIds = await createWorkspaces(system);
  const programs = [system.gateway, system.services.workspace[0], system.services.identity[0]];
  const record = (what: string, program: string, unit: string, values: readonly number[]) =>
    recorder.record({ part: "watches", what, side: "cloud", program, unit }, values);

  const before = await measureIdle(db, programs, IDLE_MS[size]);
  const count = WATCHES[size];
  const tokens = await createTokens(system.superuserUrls.identity, system.demo.users.orgAdmin.id, count);
  const watches = await openWatches({
    url: system.gateway.url,
    tokens: tokens.map(({ secret }) => secret),
    workspaceIds,
  });
  resources.defer(async () => watches.close());
  const idle = await measureIdle(db, programs, IDLE_MS[size]);
  const what = `${count} watches`;
  record(`${what}, transactions of Postgres without them`, "all", "1/s", [before.transactions]);
  record(`${what}, transactions of Postgres`, "all", "1/s", [idle.transactions]);
  for (const [at, { name }] of programs.entries()) {
    record(`${what}, CPU`, name, "ms/s", [(idle.cpuMs[at] ?? 0) - (before.cpuMs[at] ?? 0)]);
    record(`${what}, memory of each`, name, "kB", [((idle.kilobytes[at] ?? 0) - (before.kilobytes[at] ?? 0)) / count]);
  }
  const delays: number[] = [];
  for (let event = 0; event < EVENTS[size]; event++) {
    await delay(Math.random() * 100);
    const workspaceId = workspaceIds[event % workspaceIds.length] ?? "";
    const { id, committedAt } = await write(db, system, workspaceId);
    const receivers = Math.ceil((count - (event % workspaceIds.length)) / workspaceIds.length);
    await waitFor(() => watches.arrivals(id).length >= receivers || undefined, { deadlineMs: 30_000 });
    delays.push(...watches.arrivals(id).map((at) => at - committedAt));
  }
  const { p50, p99 } = latenciesOf(delays);
  record(`${what}, from commit to arrival, p50`, "all", "ms", [p50]);
  record(`${what}, from commit to arrival, p99`, "all", "ms", [p99]);
  const ends: number[] = [];
  for (const token of tokens.slice(0, REVOKED[size])) ends.push(await measureEnd(system, token, watches));
  record(`${what}, from the revocation of a token to the end, p50`, "all", "ms", [latenciesOf(ends).p50]);
  record(`${what}, from the revocation of a token to the end, most`, "all", "ms", [Math.max(...ends)]);
};

async function measureEnd({ demo }: System, { id, secret }: StoredToken, { ends }: OpenWatches): Promise<number> {
  const { status } = await restClients(demo).orgAdmin.delete(`/identity/tokens/${id}`);
  if (status !== 204) throw new Error(`a token could not be revoked: ${status}`);
  const revokedAt = performance.now();
  await waitFor(() => ends.has(secret) || undefined, { deadlineMs: 30_000 });
  return (ends.get(secret) ?? Number.NaN) - revokedAt;
}

async function createWorkspaces({ demo }: System): Promise<string[]> {
  const { orgAdmin } = restClients(demo);
  const ids: string[] = [];
  while (ids.length < WORKSPACES) {
    const { body } = await orgAdmin.post("/workspaces", { organizationId: demo.organizations[0]?.id, name: "Watched" });
    ids.push(String(body.id));
  }
  return ids;
}

interface Idle {
  /** Of the database, a second. */
  readonly transactions: number;
  /** Of each program, a second. */
  readonly cpuMs: readonly number[];
  readonly kilobytes: readonly number[];
}

async function measureIdle(db: pg.Pool, programs: readonly Program[], ms: number): Promise<Idle> {
  const cpu = () => programs.map((program) => cpuMsOf(program.pid() ?? 0));
  const [transactionsBefore, cpuBefore] = [await countTransactions(db), cpu()];
  await delay(ms);
  const [transactions, cpuAfter] = [await countTransactions(db), cpu()];
  const seconds = ms / 1_000;
  return {
    transactions: (transactions - transactionsBefore) / seconds,
    cpuMs: cpuAfter.map((after, at) => (after - (cpuBefore[at] ?? 0)) / seconds),
    kilobytes: programs.map((program) => residentKilobytes(program.pid() ?? 0)),
  };
}

async function countTransactions(db: pg.Pool): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    "select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()",
  );
  return Number(rows[0]?.count);
}

async function write(db: pg.Pool, { demo }: System, workspaceId: string): Promise<{ id: string; committedAt: number }> {
  const id: string = newId();
  await db.query(
    `insert into workspace.activity_events
       (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind)
     values ($1, $2, $3, '', 'update', 'success', 'a line', '', '')`,
    [id, workspaceId, demo.organizations[0]?.id],
  );
  return { id, committedAt: performance.now() };
}

function residentKilobytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
