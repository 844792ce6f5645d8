import { createRandom } from "@cloud/testkit/figures";
import { mapAtOnce } from "../../chaos/system/map-at-once.ts";
import type { System } from "../../chaos/system/start-system.ts";
import { createWireClient } from "../wire/send-http.ts";
import { generateRequest } from "./generate-request.ts";
import { judgeAnswer } from "./judge-answer.ts";
import { readOperations } from "./operations.ts";
import { createRecords } from "./records.ts";

export interface Fuzzed {
  readonly operations: number;
  readonly requests: number;
  /** Number of answers, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The faults found, with the number of answers that have them, and the first request that shows each. */
  readonly faults: Readonly<Record<string, { readonly count: number; readonly request: string }>>;
}

/** Sends `perOperation` requests to each operation of the document, four at a time. */
export async function fuzzRest({ demo }: System, seed: number, perOperation: number): Promise<Fuzzed> {
  const random = createRandom(seed);
  const records = await createRecords(demo);
  const { orgAdmin, user, outsider, providerAdmin } = demo.users;
  const tokens = [orgAdmin, orgAdmin, orgAdmin, user, outsider, providerAdmin].map(({ token }) => token);
  const sources = { random, records, tokens: tokens as [string, ...string[]] };
  const operations = readOperations();
  const statuses: Record<string, number> = {};
  const faults: Record<string, { count: number; request: string }> = {};
  const client = createWireClient(demo.gateway);
  const work = operations.flatMap((operation) => Array.from({ length: perOperation }, () => operation));
  await mapAtOnce(4, work, async (operation) => {
    const request = generateRequest(operation, sources);
    const { status, wrong } = await client.send(request).then(
      (answer) => ({ status: answer.status, wrong: judgeAnswer(operation, request, answer) }),
      ({ message }: Error) => ({ status: "none", wrong: ["no answer: " + message] }),
    );
    statuses[status] = (statuses[status] ?? 0) + 1;
    for (const what of wrong) {
      const key = operation.name + ": " + what.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<id>");
      faults[key] ??= {
        count: 0,
        request: JSON.stringify({ ...request, body: request.body?.toString("latin1") }).slice(0, 1000),
      };
      faults[key].count++;
    }
  });
  client.close();
  return { operations: operations.length, requests: work.length, statuses, faults };
}
