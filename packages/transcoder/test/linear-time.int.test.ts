import { beforeAll, expect, test } from "@jest/globals";
import { bindRequest } from "../src/binding/bind-request.ts";
import type { BindingOptions } from "../src/binding/binding-options.ts";
import { locateViolations } from "../src/errors/locate-violations.ts";
import { TranscodingError } from "../src/errors/transcoding-error.ts";
import { parseJson } from "../src/json-in/parse-json.ts";
import { percentDecode } from "../src/matching/percent-decode.ts";
import { cutTarget } from "../src/matching/request-target.ts";
import { type HostileRequest, honestRequests, hostileRequests, leastCpu, linearGrowth } from "../testing/index.ts";
import { libraryRoutes } from "./library.ts";
import { ruleFor } from "./routes.ts";

const SIZES = { small: 32 * 1024, large: 512 * 1024 };

/** What is ignored costs most: whatever is refused ends at the hundredth violation. */
const LENIENT: BindingOptions = {
  unknownParameters: "ignore",
  unknownFields: "ignore",
  pathConflicts: "ignore",
  parameterNames: "any-case",
  largeIntegers: "nearest",
  queryLimits: { count: Number.POSITIVE_INFINITY, length: Number.POSITIVE_INFINITY },
};
const STRICT: BindingOptions = { queryLimits: LENIENT.queryLimits ?? {} };

const NAMES = {
  text: "text",
  number: "count",
  list: "authors",
  message: "criteria",
  field: "inner",
  struct: "extra",
  name: "text",
  spellings: ["sinceId", "since_id"],
} as const;
const HONEST = honestRequests(NAMES);
const HOSTILE = hostileRequests(NAMES);

const [list, update] = libraryRoutes({
  Search: {
    ...ruleFor("GET /things/{city}/designs"),
    additionalBindings: [ruleFor("PUT /things/{city}", { body: "*" })],
  },
}).toSorted((a, b) => a.httpMethod.localeCompare(b.httpMethod));

/** Does with a request what the listener does until it calls the RPC. */
function transcode({ query, id, body }: HostileRequest, bytes: number, options = LENIENT): void {
  const target = cutTarget(`/things/${id?.(bytes) ?? "one"}?${query?.(bytes) ?? ""}`);
  const values = [percentDecode(target.segments[1] ?? "")];
  const route = body === undefined ? list : update;
  if (route === undefined) throw new Error("no route");
  const sent = body && Buffer.from(body(bytes));
  try {
    const json = sent && parseJson(sent);
    bindRequest(route, { values, query: target.query, body: json }, options);
  } catch (error) {
    if (!(error instanceof TranscodingError)) throw error;
    if (sent !== undefined) locateViolations(error, sent, route);
  }
}

const OWN: readonly HostileRequest[] = [
  { name: "numbers that may be rounded", body: (bytes) => `{"extra":{"a":[${"1e1,".repeat(bytes / 4)}1]}}` },
  { name: "numbers and lines", body: (bytes) => `{"text":[${"\n1e1,".repeat(bytes / 5)}1],"x":1}` },
  { name: "a number of many digits", body: (bytes) => `{"text":1${"0".repeat(bytes)}}` },
];

let budget: number;
beforeAll(async () => {
  // The most expensive hostile request takes eight times as much as the honest ones: each bracket becomes a message.
  budget = 50;
  for (const request of HONEST) budget = Math.max(budget, 15 * (await leastCpu(() => transcode(request, SIZES.large))));
});

test.each([...HOSTILE, ...OWN].map((request) => [request.name, request] as const))(
  "%s takes linear time",
  async (_name, request) => {
    for (const options of [LENIENT, STRICT])
      expect(await linearGrowth((bytes) => transcode(request, bytes, options), SIZES, budget)).toBeDefined();
  },
);

test("control: the expression that once read whole numbers takes quadratic time", async () => {
  // A sixteenth of the sizes: it would take minutes for these.
  const read = (bytes: number) => /^(-?)0*(\d+)$/.test(`${"0".repeat(bytes / 16)}x`);
  expect(await linearGrowth(read, SIZES, budget)).toBeUndefined();
}, 120_000);

test("control: a list that is copied for every item takes quadratic time", async () => {
  const collect = (bytes: number) => {
    let items: string[] = [];
    for (let index = 0; index < bytes / 19; index++) items = [...items, "private"];
    return items;
  };
  expect(await linearGrowth(collect, SIZES, budget)).toBeUndefined();
}, 120_000);
