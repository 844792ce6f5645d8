import { beforeAll, expect, test } from "@jest/globals";
import { bindRequest } from "../src/bind-request.ts";
import { parseJson } from "../src/parse-json.ts";
import { cutTarget, percentDecode } from "../src/request-target.ts";
import { TranscodingError } from "../src/transcoding-error.ts";
import { HONEST, HOSTILE, type HostileRequest, leastCpu, linearGrowth } from "../testing/index.ts";
import { routesFor, ruleFor } from "./routes.ts";

const SIZES = { small: 32 * 1024, large: 512 * 1024 };

const [list, update] = routesFor({
  ListWorkspaceDesigns: ruleFor("GET /things/{id}/designs"),
  UpdateWorkspace: ruleFor("PUT /things/{id}", { body: "*" }),
}).toSorted((a, b) => a.httpMethod.localeCompare(b.httpMethod));

/** Does with a request what the listener does until it calls the RPC. */
function transcode({ query, id, body }: HostileRequest, bytes: number): void {
  const target = cutTarget(`/things/${id?.(bytes) ?? "one"}?${query?.(bytes) ?? ""}`);
  const values = [percentDecode(target.segments[1] ?? "")];
  const route = body === undefined ? list : update;
  if (route === undefined) throw new Error("no route");
  try {
    const json = body && parseJson(Buffer.from(body(bytes)));
    bindRequest(route, { values, query: target.query, body: json });
  } catch (error) {
    if (!(error instanceof TranscodingError)) throw error;
  }
}

let budget: number;
beforeAll(async () => {
  // The most expensive hostile request takes eight times as much as the honest ones: each bracket becomes a message.
  budget = 50;
  for (const request of HONEST) budget = Math.max(budget, 15 * (await leastCpu(() => transcode(request, SIZES.large))));
});

test.each(HOSTILE.map((request) => [request.name, request] as const))(
  "%s takes linear time",
  async (_name, request) => {
    expect(await linearGrowth((bytes) => transcode(request, bytes), SIZES, budget)).toBeDefined();
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
    for (let index = 0; index < bytes / 76; index++) items = [...items, "private"];
    return items;
  };
  expect(await linearGrowth(collect, SIZES, budget)).toBeUndefined();
}, 120_000);
