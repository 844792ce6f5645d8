import { type EmptyTestStack, startEmptyTestStack } from "@cloud/local-stack/test-stack";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

/** Labels that Prometheus adds for the target, by its Kubernetes service discovery or its configuration. */
const OF_TARGETS = ["service", "pod", "job", "namespace", "instance", "container", "endpoint", "node"];
const PROGRAMS = ["gateway", "workspace", "environment", "identity"] as const;

interface Page {
  readonly counters: readonly string[];
  readonly histograms: readonly string[];
  readonly series: ReadonlyMap<string, readonly string[]>;
}

const pages = new Map<string, Page>();
let stack: EmptyTestStack;
beforeAll(async () => {
  // This telemetry includes the metrics of the process, which other tests do without.
  stack = await startEmptyTestStack({ telemetryFor: (service) => createTelemetry({ service, level: "silent" }) });
  for (const program of PROGRAMS) {
    pages.set(program, readPage(await (await fetch(`${stack.operators[program]}/metrics`)).text()));
  }
});
afterAll(() => stack.stop());

/** Reads the names of the counters and histograms, and the labels of each series of a name. */
function readPage(text: string): Page {
  const named = (type: string) =>
    [...text.matchAll(new RegExp(`^# TYPE (\\w+) ${type}$`, "gm"))].map(([, name = ""]) => name);
  const series = new Map<string, string[]>();
  for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    series.set(name, [...(series.get(name) ?? []), labels]);
  }
  return { counters: named("counter"), histograms: named("histogram"), series };
}

test.each(PROGRAMS)("before the first event, every counter and histogram of %s has its series", (program) => {
  const { counters, histograms, series } = pages.get(program) as Page;
  expect(counters.length).toBeGreaterThan(3);
  const absent = [...counters, ...histograms.map((name) => `${name}_count`)].filter((name) => !series.has(name));
  // These are counted by peer and RPC, or of a garbage collection, which no list names in advance.
  expect(absent.filter((name) => !/^rpc_client_call_|^nodejs_gc_/.test(name))).toEqual([]);
});

test.each(PROGRAMS)("no label of %s is one of Prometheus' targets", (program) => {
  const { series } = pages.get(program) as Page;
  const names = [...series.values()]
    .flat()
    .flatMap((labels) => [...labels.matchAll(/(\w+)="/g)].map(([, name]) => name));
  expect(new Set(names)).toContain("program");
  expect(OF_TARGETS.filter((label) => names.includes(label))).toEqual([]);
});

test("routes and RPCs begin with their success and the program's own faults", () => {
  const routes = pages.get("gateway")?.series.get("http_server_request_duration_seconds_count") ?? [];
  const ofCreation = routes.filter((labels) => /method="POST",http_route="\/api\/workspaces"/.test(labels));
  expect(ofCreation.map((labels) => /status_code="(\d+)"/.exec(labels)?.[1]).sort()).toEqual(["201", "500", "503"]);
  const calls = pages.get("workspace")?.series.get("rpc_server_call_duration_seconds_count") ?? [];
  const ofGet = calls.filter((labels) => labels.includes('"workspace.v1.WorkspaceService/GetWorkspace"'));
  expect(ofGet.map((labels) => /status_code="(\w+)"/.exec(labels)?.[1]).sort()).toEqual([
    "INTERNAL",
    "OK",
    "UNAVAILABLE",
  ]);
});
