import { startTestStack } from "@cloud/local-stack/test-stack";
import { createTelemetry, type Telemetry } from "@cloud/runtime/telemetry";
import { waitFor } from "@cloud/testkit";

/** A metric as the programs expose it. */
export interface ExposedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** The names of the programs that expose it, sorted. */
  readonly programs: readonly string[];
}

export interface Exposed {
  readonly metrics: readonly ExposedMetric[];
  /** The reply of each program's `/metrics`, by program. */
  readonly pages: ReadonlyMap<string, string>;
}

/** The members of prom-client's metrics that its types leave out. */
interface Registered {
  readonly name: string;
  readonly labelNames: readonly string[];
  get(): Promise<{ readonly type: string; readonly help: string }>;
}

/** Starts the whole system, uses it once, and reads what each program exposes. */
export async function readExposed(): Promise<Exposed> {
  const telemetries = new Map<string, Telemetry>();
  const telemetryFor = (service: string) => {
    const telemetry = createTelemetry({ service, level: "silent", accessSample: 0 });
    telemetries.set(service, telemetry);
    return telemetry;
  };
  await using resources = new AsyncDisposableStack();
  const stack = await startTestStack({ telemetryFor });
  resources.defer(() => stack.stop());
  const { operators, demo } = stack;
  // Requests, calls and an event from service to service.
  const headers = { Authorization: `Bearer ${demo.users.orgAdmin.token}` };
  const path = `/api/workspaces?orgId=${demo.organizations[0]?.id}`;
  await (await fetch(demo.gateway + path, { headers })).text();
  const pageOf = async (program: keyof typeof operators) => (await fetch(`${operators[program]}/metrics`)).text();
  const isApplied = async () => /^messaging_consumed_total\{.* [1-9]/m.test(await pageOf("workspace"));
  await waitFor(async () => (await isApplied()) || undefined, { deadlineMs: 30_000 });
  const pages = new Map<string, string>();
  for (const program of Object.keys(operators) as (keyof typeof operators)[]) pages.set(program, await pageOf(program));

  const found = new Map<string, ExposedMetric>();
  for (const program of [...pages.keys()].sort()) {
    for (const one of telemetries.get(program)?.metrics.getMetricsAsArray() ?? []) {
      const { name, labelNames, get } = one as unknown as Registered;
      const { type, help } = await get.call(one);
      const labels = [...labelNames, "program"];
      const programs = [...(found.get(name)?.programs ?? []), program];
      found.set(name, { name, type, help, labels, programs });
    }
  }
  const metrics = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { metrics, pages };
}

/** Returns the labels of each series' name: a histogram has three. */
export function seriesOf(metrics: readonly ExposedMetric[]): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    metrics.flatMap(({ name, type, labels }): [string, Set<string>][] => {
      // Added to every series by Prometheus.
      const all = [...labels, "job", "instance"];
      if (type !== "histogram") return [[name, new Set(all)]];
      const parts = [`${name}_sum`, `${name}_count`].map((part): [string, Set<string>] => [part, new Set(all)]);
      return [[`${name}_bucket`, new Set([...all, "le"])], ...parts];
    }),
  );
}
