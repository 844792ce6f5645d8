import { createRandom } from "@cloud/testkit/figures";
import { mapAtOnce } from "../../chaos/system/map-at-once.ts";
import { forEachService, type ServiceName } from "../../chaos/system/services.ts";
import type { System } from "../../chaos/system/start-system.ts";
import { createRecords } from "../rest-fuzz/records.ts";
import { createWireClient, type WireClient } from "../wire/send-http.ts";
import { type FuzzCall, generateCall } from "./generate-call.ts";
import { createHttp2Client } from "./http2-client.ts";
import { judgeCall } from "./judge-call.ts";
import { findRpcs, type ServedRpc } from "./rpc-methods.ts";

export interface FuzzedRpcs {
  readonly rpcs: number;
  readonly calls: number;
  /** Number of calls, by protocol and outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** The faults found, with the number of replies that have them, and the first call that shows each. */
  readonly faults: Readonly<Record<string, { readonly count: number; readonly call: string }>>;
}

/** Makes `count` calls, eight at a time. */
export async function fuzzRpc({ demo }: System, seed: number, count: number): Promise<FuzzedRpcs> {
  const random = createRandom(seed);
  const { organizationId } = await createRecords(demo);
  const { orgAdmin, outsider, providerAdmin } = demo.users;
  const rpcs = (await findRpcs()) as [ServedRpc, ...ServedRpc[]];
  const tokens = [orgAdmin.token, outsider.token, providerAdmin.token, demo.serviceToken] as [string, ...string[]];
  const sources = { random, rpcs, tokens, ids: [organizationId] as [string] };
  const clients: Record<ServiceName, { http1: WireClient; http2: WireClient }> = await forEachService(async (name) => ({
    http1: createWireClient(demo.services[name]),
    http2: createHttp2Client(demo.services[name]),
  }));
  const outcomes: Record<string, number> = {};
  const faults: Record<string, { count: number; call: string }> = {};
  await mapAtOnce(8, Array.from({ length: count }), async () => {
    const call = generateCall(sources);
    const { rpc, headers, body, protocol } = call;
    const client = clients[rpc.service][call.http2 ? "http2" : "http1"];
    const { outcome, wrong } = await client
      .send({ method: "POST", path: rpc.path, headers: Object.entries(headers), body })
      .then(
        (answer) => judgeCall(call, answer),
        ({ message }: Error) => ({ outcome: "none", wrong: ["no answer: " + message] }),
      );
    const key = protocol + " " + outcome;
    outcomes[key] = (outcomes[key] ?? 0) + 1;
    for (const what of wrong) {
      const name = protocol + " " + rpc.path + ": " + what;
      faults[name] ??= { count: 0, call: describe(call) };
      faults[name].count++;
    }
  });
  for (const { http1, http2 } of Object.values(clients)) {
    http1.close();
    http2.close();
  }
  return { rpcs: rpcs.length, calls: count, outcomes, faults };
}

const describe = ({ headers, body, http2 }: FuzzCall) =>
  JSON.stringify({ http2, headers, hex: body.subarray(0, 300).toString("hex") });
