/**
 * Measures requests and controls, and prints a line of JSON for each. In a process of its own: garbage of other tests
 * would be collected at the expense of a request, and that takes longer than the request.
 */
import { bindRequest } from "../../src/binding/bind-request.ts";
import type { BindingOptions } from "../../src/binding/reading.ts";
import { locateViolations } from "../../src/errors/locate-violations.ts";
import { TranscodingError } from "../../src/errors/transcoding-error.ts";
import { parseJson } from "../../src/json-in/parse-json.ts";
import { createRouteTable } from "../../src/matching/route-table.ts";
import type { Route } from "../../src/rules/route.ts";
import { cutTarget } from "../../src/serving/serve.ts";
import { linearGrowth, minCpu } from "../../testing/index.ts";
import { libraryRoutes } from "../library.ts";
import { ruleFor } from "../routes.ts";
import { COPYING, EXPRESSION, HONEST, type OwnRequest, REQUESTS } from "./requests.ts";

/**
 * Sizes in bytes. The objects made of 32 KiB would fit into the heap's young generation, which costs a third to
 * collect.
 */
const SIZES = { small: 64 * 1024, large: 512 * 1024 };

/** The options that cost most, because they ignore faults: a refusal ends at the hundredth violation. */
const LENIENT: BindingOptions = {
  unknownParameters: "ignore",
  unknownFields: "ignore",
  pathConflicts: "ignore",
  parameterNames: "any-case",
  nearestIntegers: () => true,
  structIntegers: "exact",
  queryLimits: { count: Number.POSITIVE_INFINITY, length: Number.POSITIVE_INFINITY },
};
const STRICT: BindingOptions = { queryLimits: LENIENT.queryLimits ?? {} };

const routes = libraryRoutes({
  Search: {
    ...ruleFor("GET /things/{city}/designs"),
    additionalBindings: [
      ruleFor("PUT /things/{city}", { body: "*" }),
      ruleFor("GET /files/{text=**}"),
      ruleFor("GET /files/{text=**}:read"),
      ruleFor("GET /files/*/{text=a/**}"),
      ruleFor("GET /*/a/{text=**}"),
    ],
  },
});
const tables = [createRouteTable(routes), createRouteTable(routes, { fullyDecodeReservedExpansion: false })] as const;

/** Does with a request what the listener does until it calls the RPC. */
function transcode({ query, id, path, body }: OwnRequest, bytes: number, options = LENIENT): void {
  const thing = `/things/${id?.(bytes) ?? "one"}${body === undefined ? "/designs" : ""}`;
  const target = cutTarget(`${path?.(bytes) ?? thing}?${query?.(bytes) ?? ""}`);
  const sent = body && Buffer.from(body(bytes));
  const table = tables[options === LENIENT ? 0 : 1];
  let route: Route | undefined;
  try {
    const match = table.match(body === undefined ? "GET" : "PUT", target);
    route = match.route;
    const json = sent && parseJson(sent);
    bindRequest(route, { values: match.values, query: target.query, body: json }, options);
  } catch (error) {
    if (!(error instanceof TranscodingError)) throw error;
    if (sent !== undefined && route !== undefined) locateViolations(error, sent, route);
  }
}

/**
 * Prints whether the work takes linear time. What seems not to is measured twice more: beside other suites, one of 94
 * judgements was wrong. Quadratic time, 64 instead of 8 times as much for the larger size, fails each attempt.
 */
async function judge(name: string, work: (bytes: number) => unknown): Promise<void> {
  let isLinear = false;
  for (let attempt = 0; attempt < 3 && !isLinear; attempt++) {
    isLinear = (await linearGrowth(work, SIZES, budget)) !== undefined;
  }
  process.stdout.write(`${JSON.stringify({ name, isLinear })}\n`);
}

// The most expensive hostile request takes eight times as much as the honest ones: each bracket becomes a message.
let budget = 50;
for (const request of HONEST) budget = Math.max(budget, 15 * (await minCpu(() => transcode(request, SIZES.large))));

for (const request of REQUESTS) {
  await judge(request.name, (bytes) => transcode(request, bytes, LENIENT));
  await judge(request.name, (bytes) => transcode(request, bytes, STRICT));
}

// A sixteenth of the sizes: it would take minutes for these.
await judge(EXPRESSION, (bytes) => /^(-?)0*(\d+)$/.test(`${"0".repeat(bytes / 16)}x`));
await judge(COPYING, (bytes) => {
  let items: string[] = [];
  for (let index = 0; index < bytes / 38; index++) items = [...items, "private"];
  return items;
});
