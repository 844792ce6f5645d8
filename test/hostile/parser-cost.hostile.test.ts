import type { RemovedProtection } from "@cloud/testkit";
import { calibrated, judgeTime, writeReport } from "@cloud/testkit/figures";
import { type HostileRequest, honestRequests, hostileRequests, linearGrowth, minCpu } from "@cloud/transcoder/testing";
import { expect, test } from "@jest/globals";
import { cpuTimes } from "../chaos/system/cpu-time.ts";
import { startSystem } from "../chaos/system/start-system.ts";
import { restClients } from "../e2e/rest.ts";
import { hostileControls } from "./controls.ts";
import { createWireClient, type WireRequest } from "./wire/send-http.ts";

const NAMES = {
  text: "search",
  number: "page",
  list: "visibility",
  message: "filter",
  field: "assigned",
  struct: "metadata",
  name: "name",
  spellings: ["organizationId", "organization_id"],
} as const;
const HONEST = honestRequests(NAMES);
const HOSTILE = hostileRequests(NAMES);
/** Bytes; the headers of a request have at most 16 KiB. */
const OF_BODY = { small: 128 * 1024, large: 512 * 1024 };
const OF_HEAD = { small: 3.5 * 1024, large: 14 * 1024 };
/** The kernel counts CPU time in hundredths of a second, so several requests are measured together. */
const AT_A_TIME = { body: 6, head: 40 };
const TICK_MS = 10;
/** The factor of the transcoder's own test, for the same reason. */
const TIMES_HONEST = 15;
/** The outcomes of a client's mistake. A text over 255 characters is 500 by the specification. */
const EXPECTED = /^(200|4\d\d .*|500 WORKSPACE_UPDATE_FAILED)$/;

const isBody = ({ body }: HostileRequest) => body !== undefined;

/** Starts the whole system. `send` sends a request to the gateway as it is; `cpu` returns all programs' CPU time. */
async function start(resources: AsyncDisposableStack, removeAlso: readonly RemovedProtection[] = []) {
  const system = await startSystem({ removeAlso });
  resources.defer(() => system.stop());
  const { demo } = system;
  const { orgAdmin } = restClients(demo);
  const organizationId = demo.organizations[0]?.id ?? "";
  const { body: workspace } = await orgAdmin.post("/workspaces", { organizationId, name: "Attacked" });
  const client = resources.adopt(createWireClient(demo.gateway), (one) => one.close());
  const bearer = ["authorization", `Bearer ${demo.users.orgAdmin.token}`] as const;
  const send = async (request: HostileRequest, bytes: number) => {
    const { status, body } = await client.send(wireOf(request, bytes, workspace.id, bearer));
    return status < 300 ? "200" : `${status} ${(JSON.parse(body.toString()) as { code: string }).code}`;
  };
  const cpu = () => Object.values(cpuTimes(system)).reduce((sum, one) => sum + one, 0);
  return { demo, orgAdmin, organizationId, workspace, send, cpu };
}

type Header = readonly [name: string, value: string];

function wireOf({ query, id, body }: HostileRequest, bytes: number, workspace: string, bearer: Header): WireRequest {
  const path = `/api/workspaces/${id?.(bytes) ?? workspace}`;
  if (body === undefined) return { method: "GET", path: `${path}/designs?${query?.(bytes) ?? ""}`, headers: [bearer] };
  const type = ["content-type", "application/json"] as const;
  return { method: "PUT", path, headers: [type, bearer], body: Buffer.from(body(bytes)) };
}

/** Plays requests; returns the ones that cost more than linear time or more than the budget, and odd outcomes. */
async function play(requests: readonly HostileRequest[], removeAlso: readonly RemovedProtection[] = []) {
  await using resources = new AsyncDisposableStack();
  const { send, cpu } = await start(resources, removeAlso);
  const odd = new Set<string>();
  const work = (request: HostileRequest) => async (bytes: number) => {
    const count = isBody(request) ? AT_A_TIME.body : AT_A_TIME.head;
    for (let sent = 0; sent < count; sent++) {
      const outcome = await send(request, bytes);
      if (!EXPECTED.test(outcome)) odd.add(`${request.name}: ${outcome}`);
    }
  };
  const sizesOf = (request: HostileRequest) => (isBody(request) ? OF_BODY : OF_HEAD);
  const budgets = new Map<boolean, number>();
  for (const honest of HONEST) {
    const min = await minCpu(() => work(honest)(sizesOf(honest).large), cpu);
    budgets.set(isBody(honest), TIMES_HONEST * min);
  }
  const slow: string[] = [];
  const msPerKiB: Record<string, number> = {};
  for (const request of requests) {
    const sizes = sizesOf(request);
    const growth = await linearGrowth(work(request), sizes, budgets.get(isBody(request)) ?? 0, cpu, TICK_MS);
    if (growth === undefined) slow.push(request.name);
    else msPerKiB[request.name] = perKiB(growth.large, request);
  }
  return { slow, odd: [...odd], msPerKiB };
}

function perKiB(ms: number, request: HostileRequest): number {
  const [sizes, count] = isBody(request) ? [OF_BODY, AT_A_TIME.body] : [OF_HEAD, AT_A_TIME.head];
  return Math.round((1000 * ms * 1024) / (sizes.large * count)) / 1000;
}

test("every hostile request costs linear time, of all programs together", async () => {
  const { slow, odd, msPerKiB } = await play(HOSTILE);
  const [dearest] = Object.entries(msPerKiB).toSorted(([, a], [, b]) => b - a);
  writeReport({ what: "hostile-parser-cost", promise: 10, requests: HOSTILE.length, slow, dearest, msPerKiB });
  expect(slow).toEqual([]);
  expect(odd).toEqual([]);
}, 600_000);

test("control: an expression that takes quadratic time is found", async () => {
  const zeros = HOSTILE.filter(({ name }) => name === "zeros before an error");
  const { slow } = await play(zeros, hostileControls.linearNumbers);
  writeReport({ what: "hostile-parser-cost-control", promise: 10, slow });
  expect(slow).toEqual(["zeros before an error"]);
}, 300_000);

const COUNT = 60_000;
const list = (item: string) => `[${Array<string>(COUNT).fill(item).join(",")}]`;
const keys = Array.from({ length: COUNT }, (_, index) => `"${index}":0`).join(",");
/** Metadata of about 0.5 MB, which becomes up to 5.5 times as much on its way to the service that refuses it. */
const LARGE_METADATA: Readonly<Record<string, string>> = {
  "four arrays of 60,000 zeros": `{"a":${list("0")},"b":${list("0")},"c":${list("0")},"d":${list("0")}}`,
  "60,000 empty objects": `{"a":${list("{}")}}`,
  "60,000 empty texts": `{"a":${list('""')}}`,
  "60,000 keys": `{${keys}}`,
  "an array in each of 60,000 arrays": `{"a":${list("[[]]")}}`,
};

test("metadata of 60,000 values is 400 at once, and changes nothing", async () => {
  await using resources = new AsyncDisposableStack();
  const { orgAdmin, organizationId, demo } = await start(resources);
  const collections = ["/workspaces", "/environments", "/connections"];
  const stateOf = () =>
    Promise.all(collections.map(async (path) => (await orgAdmin.get(`${path}?orgId=${organizationId}`)).body));
  const put = [`/workspaces/${(await stateOf())[0].workspaces[0].id}`, `/environments/${demo.environments.ordinary}`];
  const before = await stateOf();
  const send = async (method: string, path: string, metadata: string) => {
    const body = `{"organizationId":"${organizationId}","name":"Attacked","metadata":${metadata}}`;
    const began = performance.now();
    const answer = await orgAdmin.send(path, { method, headers: { "content-type": "application/json" }, body });
    const ms = Math.round(performance.now() - began);
    return { request: `${method} ${path}`, outcome: `${answer.status} ${answer.body.code}`, ms };
  };
  const { seen, factor } = await calibrated(async () => {
    const seen: (Awaited<ReturnType<typeof send>> & { what: string })[] = [];
    for (const [what, metadata] of Object.entries(LARGE_METADATA)) {
      for (const path of collections) seen.push({ what, ...(await send("POST", path, metadata)) });
      for (const path of put) seen.push({ what, ...(await send("PUT", path, metadata)) });
    }
    return { seen };
  });
  const slowestMs = Math.max(...seen.map(({ ms }) => ms));
  writeReport({ what: "hostile-large-metadata", promise: 10, requests: seen.length, slowestMs, factor });
  expect(seen.filter(({ outcome }) => outcome !== "400 INVALID_PARAMETER")).toEqual([]);
  expect(await stateOf()).toEqual(before);
  judgeTime({ what: "parser-cost: large metadata is refused", measuredMs: slowestMs, limitMs: 5_000, factor });
}, 300_000);
