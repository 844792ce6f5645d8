import { waitFor } from "@cloud/testkit";
import {
  type Bound,
  byControl,
  calibrated,
  isInTime,
  judgeTime,
  type Load,
  latenciesOf,
  measureUntil,
  startLoad,
  writeReport,
} from "@cloud/testkit/figures";
import { describe, expect, test } from "@jest/globals";
import type { RestResponse } from "../e2e/rest.ts";
import {
  countStatuses,
  type Endured,
  endure,
  type FaultyPart,
  PER_SECOND,
  type SendRequest,
} from "./black-holes/faulty-part.ts";
import { environmentRequests, faultyParts, healthyRequests } from "./black-holes/faulty-parts.ts";
import { expectSound } from "./system/expect-sound.ts";
import { startSystem } from "./system/start-system.ts";
import { openDatabases, type SystemDatabases } from "./system/system-databases.ts";

const PROXIED = ["postgres", "nats", "peers"] as const;
/** Requests per second that need no faulty part. All requests together are a third of what two cores can serve. */
const HEALTHY_PER_SECOND = 60;
const CALM_MS = 2000;

/** A fault, in milliseconds on the clock of the healthy load. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Counts the connections of each service to Postgres: 10 of its pool. */
async function connectionsOf(databases: SystemDatabases): Promise<Record<string, number>> {
  const rows = await databases.query<{ usename: string; count: string }>(
    "select usename, count(*) from pg_stat_activity where usename like 'cloud_%' group by usename",
  );
  return Object.fromEntries(rows.map(({ usename, count }) => [usename, Number(count)]));
}

/** Runs the same load for a while without a fault, so that the fault is the only difference. */
async function beCalm([part]: readonly FaultyPart[], healthy: Load<RestResponse>): Promise<Span> {
  const from = healthy.now();
  await endure({ ...(part as FaultyPart), begin: () => () => undefined, lastsMs: CALM_MS }, healthy);
  return { from, to: healthy.now() };
}

/** Breaks each part in turn, with calm periods before, between and after. */
async function endureEach(parts: readonly FaultyPart[], healthy: Load<RestResponse>) {
  const calm: Span[] = [];
  const bad: Endured[] = [];
  for (const part of parts) {
    calm.push(await beCalm(parts, healthy));
    bad.push(await endure(part, healthy));
  }
  calm.push(await beCalm(parts, healthy));
  const during = ({ from, to }: Span) =>
    healthy
      .samples()
      .filter(({ at }) => at >= from && at < to)
      .map(({ ms }) => ms);
  // The p99 of one part is its third worst request; the p99 of three parts together is based on a thousand.
  const together = (kind: string) => latenciesOf(bad.filter(({ part }) => part.endsWith(kind)).flatMap(during));
  return {
    baseline: latenciesOf(calm.flatMap(during)),
    healthyWhile: { blackHoled: together("black-holed"), slow: together("slow") },
    endured: bad.map((part) => ({ ...part, healthy: latenciesOf(during(part)) })),
  };
}

function expectBearable(endured: Endured, allowed: readonly number[], factor: number): void {
  const { part, noticedMs, statuses, longestMs, maxInFlight, recoveredMs } = endured;
  const others = Object.keys(statuses).filter((status) => !allowed.map(String).includes(status));
  expect([part, others]).toEqual([part, []]);
  if (part.endsWith("black-holed")) {
    expect(noticedMs).toBeDefined();
    judgeTime({ what: `black-holes: ${part}: detected`, measuredMs: noticedMs ?? 0, limitMs: 5_000, factor });
  }
  judgeTime(
    { what: `black-holes: ${part}: longest reply`, measuredMs: longestMs, limitMs: 10_000, factor },
    // At a steady rate, as many are in flight as begin while the first of them waits.
    { what: `black-holes: ${part}: in flight`, measuredMs: (1000 * maxInFlight) / PER_SECOND, limitMs: 5_000, factor },
    { what: `black-holes: ${part}: recovered`, measuredMs: recoveredMs, limitMs: 5_000, factor },
  );
}

type Measured = Awaited<ReturnType<typeof endureEach>> & { readonly factor: number };

function healthyBounds({ baseline, healthyWhile: { blackHoled, slow }, factor }: Measured): Bound[] {
  const limitMs = 2 * baseline.p99;
  return [
    byControl({ what: "black-holes: healthy beside silence, p99", measuredMs: blackHoled.p99, limitMs, factor }),
    byControl({ what: "black-holes: healthy beside slowness, p99", measuredMs: slow.p99, limitMs, factor }),
  ];
}

describe("A black-holed or slow Postgres, NATS or peer: detected in 5 s, answered by the deadline, healthy requests keep p99", () => {
  test("each in turn, under load", async () => {
    await using resources = new AsyncDisposableStack();
    const system = await startSystem({ proxied: PROXIED });
    resources.defer(() => system.stop());
    const databases = openDatabases(system);
    resources.defer(() => databases.close());
    const parts = await faultyParts(system);
    const requests = healthyRequests(system);
    const healthy = startLoad(HEALTHY_PER_SECOND, (index) => (requests[index % requests.length] as SendRequest)());
    resources.defer(async () => void (await healthy.stop()));
    await beCalm(parts, healthy); // warm-up

    const measured = await measureUntil(
      (one) => healthyBounds(one).every(isInTime),
      async () => {
        const measured = await calibrated(() => endureEach(parts, healthy));
        for (const [index, part] of measured.endured.entries()) {
          expectBearable(part, parts[index]?.allowed ?? [], measured.factor);
        }
        return measured;
      },
    );
    const { baseline, healthyWhile, endured, factor, attempts } = measured;
    const samples = await healthy.stop();
    const connections = await connectionsOf(databases);
    writeReport({
      what: "black-holes",
      promise: 6,
      attempts,
      factor,
      baseline,
      healthyWhile,
      parts: endured,
      connections,
    });

    expect(Object.keys(countStatuses(samples)).toSorted()).toEqual(["200", "201"]);
    for (const count of Object.values(connections)) expect(count).toBeLessThanOrEqual(11);
    await expectSound(system, databases);
    judgeTime(...healthyBounds(measured));
  }, 300_000);

  test("control: without time limits a request hangs past its deadline, and requests pile up", async () => {
    await using resources = new AsyncDisposableStack();
    const system = await startSystem({
      proxied: ["postgres"],
      remove: ["timeLimits"],
      env: { MAX_IN_FLIGHT: "100000" }, // its limit would refuse what piles up
    });
    resources.defer(() => system.stop());
    const [send] = await environmentRequests(system);
    system.proxies.postgres.environment.blackHole();
    const load = startLoad(PER_SECOND, async () => (await send?.())?.status);
    await waitFor(() => load.now() >= 10_500 || undefined, { deadlineMs: 20_000 });
    const responses = load.samples().length;
    const inFlight = load.running();
    writeReport({ what: "black-holes-control", promise: 6, responses, inFlight });
    expect(responses).toBe(0);
    expect(inFlight).toBeGreaterThan(PER_SECOND * 10);
    await system.stop(); // ends the hanging requests
    await load.stop();
  }, 60_000);
});
