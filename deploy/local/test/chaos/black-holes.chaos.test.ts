import { type FaultProxy, latenciesOf, startLoad, waitFor, writeReport } from "@cloud/testkit";
import { describe, expect, test } from "@jest/globals";
import { everybody } from "../rest.ts";
import { expectSound } from "./expect-sound.ts";
import { type Ask, countStatuses, type Endured, endure, type FaultyPart, PER_SECOND } from "./faulty-part.ts";
import { type Behind, lookBehind } from "./look-behind.ts";
import { SERVICES, type System, startSystem } from "./start-system.ts";

const PROXIED = ["postgres", "nats", "peers"] as const;
/** Requests a second that need no faulty part. */
const HEALTHY_PER_SECOND = 100;
const CALM_MS = 2000;
const SLOW_BY_MS = 500;

const blackHole = (proxies: readonly FaultProxy[]) => () => {
  for (const proxy of proxies) proxy.blackHole();
  return () => proxies.forEach((proxy) => void proxy.heal());
};
const slow = (proxies: readonly FaultProxy[]) => () => {
  for (const proxy of proxies) proxy.delay(SLOW_BY_MS);
  return () => proxies.forEach((proxy) => void proxy.heal());
};

/** Requests that get along without the environment service and without NATS: reads and a write. */
function healthyRequests({ demo }: System): readonly Ask[] {
  const { orgAdmin } = everybody(demo);
  const organizationId = demo.organizations[0]?.id ?? "";
  return [
    () => orgAdmin.get("/identity/users/profile"),
    () => orgAdmin.get("/workspaces?orgId=" + organizationId),
    () => orgAdmin.get("/identity/teams/" + demo.teams.first[0]),
    () => orgAdmin.post("/workspaces", { organizationId }),
  ];
}

/** Requests that need the environment service and its Postgres, the second also as a peer of the workspace service. */
async function environmentRequests({ demo }: System): Promise<readonly Ask[]> {
  const { orgAdmin } = everybody(demo);
  const organizationId = demo.organizations[0]?.id ?? "";
  const { body } = await orgAdmin.post("/workspaces", { organizationId });
  return [
    () => orgAdmin.get("/environments/" + demo.environments.ordinary),
    () => orgAdmin.get("/workspaces/" + body.id + "/environments"),
    () => orgAdmin.post("/environments", { organizationId }),
  ];
}

/** Every service has lost its connection to NATS, once more than before. */
function natsNoticed({ services }: System): () => Promise<unknown> {
  const LOST = "the connection to NATS was lost";
  const losses = () => SERVICES.map((name) => services[name][0].log().filter(({ msg }) => msg === LOST).length);
  return () => {
    const before = losses();
    const lostAll = () => losses().every((count, index) => count > (before[index] ?? 0)) || undefined;
    return waitFor(lostAll, { deadlineMs: 20_000 });
  };
}

async function faultyParts(system: System): Promise<readonly FaultyPart[]> {
  const { postgres, nats, peers } = system.proxies;
  const requests = await environmentRequests(system);
  const needed = { Postgres: [postgres.environment], "a peer": [peers.environment] };
  const all = Object.values(nats);
  return [
    ...Object.entries(needed).flatMap(([name, proxies]) => [
      { name: `${name} black-holed`, begin: blackHole(proxies), lastsMs: 5000, requests, allowed: [503, 504] },
      { name: `${name} slow`, begin: slow(proxies), lastsMs: 4000, requests, allowed: [200, 201, 503, 504] },
    ]),
    // No request needs NATS: all are answered as ever.
    {
      name: "NATS black-holed",
      begin: blackHole(all),
      lastsMs: 5000,
      requests,
      allowed: [200, 201],
      noticed: natsNoticed(system),
    },
    { name: "NATS slow", begin: slow(all), lastsMs: 4000, requests, allowed: [200, 201] },
  ];
}

/** Connections of each service to Postgres: 10 of its pool, and the one that listens. */
async function connectionsOf(behind: Behind): Promise<Record<string, number>> {
  const rows = await behind.query<{ usename: string; count: string }>(
    "select usename, count(*) from pg_stat_activity where usename like 'cloud_%' group by usename",
  );
  return Object.fromEntries(rows.map(({ usename, count }) => [usename, Number(count)]));
}

describe("A black-holed or slow Postgres, NATS or peer: noticed in 5 s, answered by the deadline, healthy requests keep p99", () => {
  test("each in turn, under load", async () => {
    await using resources = new AsyncDisposableStack();
    const system = await startSystem({ proxied: PROXIED });
    resources.defer(() => system.stop());
    const behind = lookBehind(system);
    resources.defer(() => behind.close());
    const parts = await faultyParts(system);
    const requests = healthyRequests(system);
    const healthy = startLoad(HEALTHY_PER_SECOND, (index) => (requests[index % requests.length] as Ask)());
    const calmUntil = (at: number) =>
      waitFor(() => healthy.now() >= at || undefined, { deadlineMs: 2 * CALM_MS + 1000 });

    const endured: Endured[] = [];
    await calmUntil(CALM_MS); // warms up
    const warm = healthy.now();
    for (const part of parts) {
      await calmUntil(healthy.now() + CALM_MS);
      endured.push(await endure(part, healthy));
    }
    await calmUntil(healthy.now() + CALM_MS);
    const samples = await healthy.stop();

    const during = ({ from, to }: Endured) => samples.filter(({ at }) => at >= from && at < to);
    const bad = new Set(endured.flatMap(during));
    const recovering = endured.flatMap(({ to, recoveredMs }) => [[to, to + recoveredMs]] as const);
    const calm = samples.filter(
      (sample) =>
        sample.at >= warm && !bad.has(sample) && !recovering.some(([from, to]) => sample.at >= from && sample.at < to),
    );
    const baseline = latenciesOf(calm.map(({ ms }) => ms));
    const healthyDuring = endured.map((part) => latenciesOf(during(part).map(({ ms }) => ms)));
    const connections = await connectionsOf(behind);
    writeReport({
      what: "black-holes",
      promise: 6,
      baseline,
      parts: endured.map(({ from: _from, to: _to, ...part }, index) => ({ ...part, healthy: healthyDuring[index] })),
      connections,
    });

    expect(Object.keys(countStatuses(samples)).toSorted()).toEqual(["200", "201"]);
    for (const [index, { part, noticedMs, statuses, longestMs, mostInFlight, recoveredMs }] of endured.entries()) {
      const allowed = parts[index]?.allowed.map(String) ?? [];
      expect([part, Object.keys(statuses).filter((status) => !allowed.includes(status))]).toEqual([part, []]);
      if (part.endsWith("black-holed")) expect(noticedMs).toBeLessThanOrEqual(5000);
      expect(longestMs).toBeLessThanOrEqual(10_000);
      expect(mostInFlight).toBeLessThanOrEqual(PER_SECOND * 5);
      expect(recoveredMs).toBeLessThanOrEqual(5000);
    }
    for (const { p99 } of healthyDuring) expect(p99).toBeLessThanOrEqual(2 * baseline.p99);
    for (const count of Object.values(connections)) expect(count).toBeLessThanOrEqual(11);
    await expectSound(system, behind);
  }, 180_000);

  test("control: without time limits a request hangs past its deadline, and requests pile up", async () => {
    await using resources = new AsyncDisposableStack();
    const system = await startSystem({ proxied: ["postgres"], remove: ["timeLimits"] });
    resources.defer(() => system.stop());
    const [ask] = await environmentRequests(system);
    system.proxies.postgres.environment.blackHole();
    const load = startLoad(PER_SECOND, async () => (await ask?.())?.status);
    await waitFor(() => load.now() >= 10_500 || undefined, { deadlineMs: 20_000 });
    const answered = load.samples().length;
    const inFlight = load.running();
    writeReport({ what: "black-holes-control", promise: 6, answered, inFlight });
    expect(answered).toBe(0);
    expect(inFlight).toBeGreaterThan(PER_SECOND * 10);
    await system.stop(); // ends what hangs
    await load.stop();
  }, 60_000);
});
