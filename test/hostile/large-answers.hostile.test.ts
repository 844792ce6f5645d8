import type { Demo } from "@cloud/local-stack";
import type { RemovedProtection } from "@cloud/testkit";
import { latenciesOf, startClients, writeReport } from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import { cpuPer, cpuTimes } from "../chaos/system/cpu-time.ts";
import { startSystem } from "../chaos/system/start-system.ts";
import { openDatabases } from "../chaos/system/system-databases.ts";
import { restClients } from "../e2e/rest.ts";
import { hostileControls } from "./controls.ts";
import { insertConnections, insertLinks, LINKS, TOO_LARGE } from "./large-answers/insert-large.ts";
import { shareSession } from "./large-answers/share-session.ts";
import { watchMemory } from "./wire/watch-memory.ts";

/** The links are inserted without their events, and no pass is to look for those. */
const NO_PASSES = { RECONCILER_INTERVAL_MS: "600000" };
const MIB = 1024 * 1024;

interface Seen {
  /** The status, and the code of an error. */
  readonly outcome: string;
  readonly bytes: number;
  readonly ms: number;
}

/** Requests each large list in turn, and sends too large requests by gRPC, while others request small answers. */
async function attack(rounds: number, removeAlso: readonly RemovedProtection[] = []) {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ removeAlso, env: NO_PASSES });
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const { demo } = system;
  const { orgAdmin } = restClients(demo);
  const create = async (path: string, body: object) => String((await orgAdmin.post(path, body)).body.id);
  const home = await create("/identity/organizations", { name: "Large" });
  const workspace = await create("/workspaces", { organizationId: home, name: "Linked" });
  await insertLinks(databases, home, workspace);
  const paths: Record<string, string> = {
    "linked teams": `/workspaces/${workspace}/teams?pageSize=100`,
    "linked environments": `/workspaces/${workspace}/environments?pageSize=100`,
    "environments not linked": `/workspaces/${workspace}/environments?filter.assigned=false`,
  };
  for (const [what, metadata] of Object.entries(TOO_LARGE)) {
    const organization = await create("/identity/organizations", { name: what });
    await insertConnections(databases, organization, metadata);
    paths[what] = `/connections?pageSize=100&orgId=${organization}`;
  }

  const others: Seen[] = [];
  const memory = watchMemory(system.programs);
  const small = smallRequests(demo);
  const clients = startClients(2, 0, async () => {
    others.push(await get(demo, "user", small[others.length % small.length] ?? ""));
    return true;
  });
  const large = new Map<string, Seen[]>(Object.keys(paths).map((what) => [what, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [what, path] of Object.entries(paths)) large.get(what)?.push(await get(demo, "orgAdmin", path));
  }
  const session = await shareSession(system, 5 * rounds);
  await clients.stop();
  return {
    large,
    others,
    session,
    memory: memory.stop(),
    crashes: system.programs.filter((one) => one.crashes() > 0).length,
  };
}

/** Returns one request for each service, and one that two services serve together. */
function smallRequests({ organizations, environments }: Demo): string[] {
  const organization = organizations[0]?.id;
  return [
    `/workspaces?orgId=${organization}`,
    `/designs?orgId=${organization}`,
    `/environments/${environments.ordinary}`,
    `/connections?orgId=${organization}`,
    `/identity/teams?orgId=${organization}`,
  ];
}

async function get({ gateway, users }: Demo, user: "orgAdmin" | "user", path: string): Promise<Seen> {
  const began = performance.now();
  const response = await fetch(`${gateway}/api${path}`, { headers: { authorization: `Bearer ${users[user].token}` } });
  const text = await response.text();
  const outcome = response.ok ? "200" : `${response.status} ${(JSON.parse(text) as { code: string }).code}`;
  return { outcome, bytes: text.length, ms: performance.now() - began };
}

const outcomesOf = (seen: readonly Seen[]) => [...new Set(seen.map(({ outcome }) => outcome))].toSorted();
const outcomesOfEach = (large: ReadonlyMap<string, readonly Seen[]>) =>
  Object.fromEntries([...large].map(([what, seen]) => [what, outcomesOf(seen)]));
const latencies = (seen: readonly Seen[]) => latenciesOf(seen.map(({ ms }) => ms));

test("a page or a request that is too large is one clear error, 60,000 links are none, and all cost only themselves", async () => {
  const { large, others, ...figures } = await attack(6);
  const p50 = Object.fromEntries([...large].map(([what, seen]) => [what, latencies(seen).p50]));
  writeReport({ what: "hostile-large-answers", promise: 8, links: LINKS, p50, others: latencies(others), ...figures });
  expect(outcomesOfEach(large)).toEqual({
    "linked teams": ["200"],
    "linked environments": ["200"],
    "environments not linked": ["200"],
    "1 MB each": ["500 ANSWER_TOO_LARGE"],
    "64 KiB of zeros each": ["500 ANSWER_TOO_LARGE"],
    "60 KB of control characters each": ["500 ANSWER_TOO_LARGE"],
  });
  expect(outcomesOf(others)).toEqual(["200"]);
  expect(figures.session).toEqual({ large: ["ResourceExhausted"], small: ["ok"] });
  expect(figures.crashes).toBe(0);
}, 300_000);

test("control: without the limit, pages of 100 MB are answered", async () => {
  const { large } = await attack(1, hostileControls.answerSize);
  const bytes = Object.fromEntries([...large].map(([what, [seen]]) => [what, seen?.bytes]));
  writeReport({ what: "hostile-large-answers-control", promise: 8, bytes });
  expect(Math.max(...Object.values(bytes).map((count) => count ?? 0))).toBeGreaterThan(16 * MIB);
}, 300_000);

test("control: where a refused request stays in its session, others fail", async () => {
  const { large, others, session } = await attack(6, hostileControls.usableSessions);
  writeReport({
    what: "hostile-large-lists-control",
    promise: 8,
    large: outcomesOfEach(large),
    others: outcomesOf(others),
    session,
  });
  expect(session.small).toContainEqual(expect.not.stringMatching(/^ok$/));
}, 300_000);

/** Returns the CPU time of the environment service, in milliseconds, for one page that it refuses. */
async function costOfRefusal(removeAlso: readonly RemovedProtection[] = []) {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ removeAlso, env: NO_PASSES });
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const { body: organization } = await restClients(system.demo).orgAdmin.post("/identity/organizations", {
    name: "Large",
  });
  await insertConnections(databases, organization.id, TOO_LARGE["64 KiB of zeros each"] ?? {});
  const refuse = () => get(system.demo, "orgAdmin", `/connections?pageSize=100&orgId=${organization.id}`);
  await refuse(); // compiles the code
  const before = cpuTimes(system);
  const seen: Seen[] = [];
  for (let page = 0; page < 3; page++) seen.push(await refuse());
  const { environment = Number.NaN } = cpuPer(seen.length, before, cpuTimes(system));
  return { cpuMs: environment, outcomes: outcomesOf(seen) };
}

test("a page is refused for a fraction of what reading and encoding it costs", async () => {
  const refused = await costOfRefusal();
  const control = await costOfRefusal(hostileControls.earlyRefusal);
  writeReport({ what: "hostile-early-refusal", promise: 8, cpuMs: refused.cpuMs, controlMs: control.cpuMs });
  expect(refused.outcomes).toEqual(["500 ANSWER_TOO_LARGE"]);
  expect(refused.cpuMs).toBeLessThan(control.cpuMs / 5);
}, 300_000);
