import {
  type Bound,
  byControl,
  calibrated,
  isInTime,
  judgeTime,
  latenciesOf,
  measureUntil,
  runFigures,
  writeReport,
} from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import { startSystem } from "../chaos/system/start-system.ts";
import type { Outcomes } from "./overload/outcome.ts";
import { type Load, runClient, startSink } from "./overload/run-client.ts";

/**
 * A refusal costs next to nothing, so it has no reason to wait. Where the machine has no core left for the client, even
 * a sink that only refuses takes longer; then the sink's time is the measure.
 */
const REFUSED_MS = 50;
/** The least share of the goodput beside a sink that refuses as many. */
const GOODPUT = 0.8;
/** Callers that send the next request as soon as one is refused keep even a sink busy: what it takes is the measure. */
const TIMES_THE_SINK = 1.5;
/** The connections of the clients that send too much. */
const CONNECTIONS = 1_000;
const SECONDS = runFigures({ ci: 10, long: 30 });

/**
 * Measures the peak, what is left of it while a sink refuses nine times as much on the same cores, or as much as they
 * have time for, what is served when as much arrives at the gateway, and how soon everything is served again
 * afterwards. Then all connections send to the sink, and to the gateway, as fast as they are refused.
 */
async function overload(env: Readonly<Record<string, string>>, connections = CONNECTIONS) {
  await using resources = new AsyncDisposableStack();
  // The limit is twice as many: the gateway may still close one client's connections when the next opens its own.
  const system = await startSystem({ env: { MAX_CONNECTIONS_PER_ADDRESS: String(2 * connections), ...env } });
  resources.defer(() => system.stop());
  const sink = await startSink();
  resources.defer(() => sink.stop());
  const { user } = system.demo.users;
  const [organization] = system.demo.organizations;
  const paths = await pathsOf(system.gateway.url, organization?.id ?? "", user.token);
  const load: Load = { url: system.gateway.url, paths, token: user.token, rate: 0, connections: 32, seconds: 5 };

  await runClient({ ...load, seconds: 8 }); // programs that have just started compile their code
  const peak = goodWithin(load.seconds, await runClient(load)) / load.seconds;
  const [beside, sunk] = await Promise.all([
    runClient(load),
    runClient({ ...load, url: sink.url, rate: 9 * peak, connections }),
  ]);
  const besideSink = goodWithin(load.seconds, beside) / load.seconds;
  const rate = besideSink + sunk.outcomes.length / load.seconds;
  const during = await runClient({ ...load, rate, connections, seconds: SECONDS });
  const after = await runClient({ ...load, rate: peak / 2, connections: 32, seconds: 5 });
  const [, sunkAtOnce] = await Promise.all([runClient(load), runClient({ ...load, url: sink.url, connections })]);
  const atOnce = await runClient({ ...load, connections });
  const refused = during.outcomes.filter(({ status }) => status === 503);
  const served = during.outcomes.filter(({ status }) => status === 200);
  const good = goodWithin(SECONDS, during) / SECONDS;
  const share = (of: number) => Math.round((good / of) * 100) / 100;
  return {
    peakPerSecond: Math.round(peak),
    besideSinkPerSecond: Math.round(besideSink),
    timesThePeak: Math.round((10 * rate) / peak) / 10,
    sentPerSecond: Math.round((during.outcomes.length + during.unanswered) / SECONDS),
    goodPerSecond: Math.round(good),
    goodput: share(besideSink),
    goodputOfPeak: share(peak),
    served: latenciesOf(served.map(({ ms }) => ms)),
    refused: latenciesOf(refused.map(({ ms }) => ms)),
    refusedBySink: latenciesOf(sunk.outcomes.map(({ ms }) => ms)),
    refusedAtOnce: latenciesOf(atOnce.outcomes.filter(({ status }) => status === 503).map(({ ms }) => ms)),
    refusedAtOnceBySink: latenciesOf(sunkAtOnce.outcomes.map(({ ms }) => ms)),
    other: during.outcomes.length - served.length - refused.length,
    broken: during.broken + after.broken + atOnce.broken,
    unanswered: during.unanswered,
    unsent: during.unsent,
    goodAgainAfterMs: goodAgainAfter(after),
    sessionsEnded: system.programs
      .flatMap((one) => one.log())
      .filter((line) => JSON.stringify(line).includes("peer is silent")).length,
  };
}

/** A list, which takes two services, and a request that takes all three. */
async function pathsOf(url: string, organizationId: string, token: string): Promise<string[]> {
  const list = `/api/workspaces?orgId=${organizationId}`;
  const response = await fetch(url + list, { headers: { authorization: `Bearer ${token}` } });
  const { workspaces } = (await response.json()) as { workspaces: readonly { id: string }[] };
  return [list, `/api/workspaces/${workspaces[0]?.id}/environments`];
}

/** Counts the good responses that arrived while requests were being sent. */
const goodWithin = (seconds: number, { outcomes }: Outcomes) =>
  outcomes.filter(({ at, ms, status }) => status === 200 && at + ms <= seconds * 1_000).length;

/** Returns the time after which every request for a second was answered with 200. */
function goodAgainAfter({ outcomes }: Outcomes): number {
  const bad = outcomes.filter(({ status }) => status !== 200);
  return Math.round(Math.max(0, ...bad.map(({ at, ms }) => at + ms)));
}

type Figures = Awaited<ReturnType<typeof overload>> & { readonly factor: number };

function boundsOf(figures: Figures) {
  const { goodPerSecond, besideSinkPerSecond, refused, refusedBySink, goodAgainAfterMs, factor } = figures;
  const refusedMs = Math.max(REFUSED_MS, refusedBySink.p99 / factor);
  const atOnce = {
    measuredMs: figures.refusedAtOnce.p50,
    limitMs: Math.max(REFUSED_MS * factor, TIMES_THE_SINK * figures.refusedAtOnceBySink.p50),
    factor,
  };
  const good = { measuredMs: 1_000 / goodPerSecond, limitMs: 1_000 / (GOODPUT * besideSinkPerSecond), factor };
  return [
    byControl({ what: "overload: milliseconds for each good reply", ...good }),
    { what: "overload: refused, p99", measuredMs: refused.p99, limitMs: refusedMs, factor },
    byControl({ what: "overload: refused while all send as fast as they can, p50", ...atOnce }),
    { what: "overload: all is served again", measuredMs: goodAgainAfterMs, limitMs: 2_000, factor },
  ] satisfies Bound[];
}

test("up to ten times the peak: goodput stays, the rest is refused at once, and no connection breaks", async () => {
  const figures = await measureUntil(
    (one: Figures) => boundsOf(one).every(isInTime),
    async () => {
      const measured = await calibrated(() => overload({}));
      expect(measured).toMatchObject({ other: 0, broken: 0, unanswered: 0, sessionsEnded: 0 });
      expect(measured.refused.count).toBeGreaterThan(0);
      return measured;
    },
  );
  writeReport({ what: "hostile-overload", promise: 7, ...figures });
  judgeTime(...boundsOf(figures));
}, 300_000);

test("control: without a limit those served wait for seconds", async () => {
  const figures = await overload({ MAX_IN_FLIGHT: "100000" }, 3_000);
  writeReport({ what: "hostile-overload-control", promise: 7, ...figures });
  expect(figures.served.p50).toBeGreaterThan(1_000);
}, 300_000);
