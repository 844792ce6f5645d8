import { createRandom } from "@cloud/testkit/figures";
import { mapAtOnce } from "../../chaos/system/map-at-once.ts";
import type { System } from "../../chaos/system/start-system.ts";
import { generateRequest } from "../rest-fuzz/generate-request.ts";
import { readOperations } from "../rest-fuzz/operations.ts";
import { createRecords } from "../rest-fuzz/records.ts";
import { createWireClient, type WireClient } from "../wire/send-http.ts";
import type { Texts } from "./collect-texts.ts";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/**
 * Sends random requests with valid tokens, also where no token belongs, and again without Postgres and without NATS:
 * programs write most about what fails. Returns the bodies of all errors.
 */
export async function provokeErrors(system: System, seed: number): Promise<Texts> {
  const random = createRandom(seed);
  const { demo } = system;
  const records = await createRecords(demo);
  const tokens = Object.values(demo.users).map(({ token }) => token) as [string, ...string[]];
  const client = createWireClient(demo.gateway);
  const bodies: string[] = [];
  const send = async (request: Parameters<WireClient["send"]>[0]) => {
    const { status, body } = await client.send(request);
    if (status >= 400) bodies.push(body.toString());
  };
  const everywhere = async (perOperation: number) => {
    const work = readOperations().flatMap((operation) => Array.from({ length: perOperation }, () => operation));
    await mapAtOnce(8, work, (operation) => send(generateRequest(operation, { random, records, tokens })));
  };
  await everywhere(3);
  for (const token of tokens) {
    const authorization = ["authorization", "Bearer " + token] as const;
    const misplaced = [
      [authorization, ["traceparent", token], ["tracestate", "a=" + token]],
      [authorization, ["traceparent", TRACEPARENT], ["tracestate", "a=" + token], ["x-request-id", token]],
    ] as const;
    for (const path of ["/api/workspaces/" + token, "/api/workspaces?orgId=" + token, "/api/nowhere/" + token]) {
      for (const headers of misplaced) await send({ method: "GET", path, headers });
    }
    for (const headers of misplaced) {
      await send({ method: "POST", path: "/api/workspaces", headers, body: Buffer.from(`{"name": ${token}`) });
      const organizationId = demo.organizations[0]?.id;
      const body = Buffer.from(JSON.stringify({ name: "w", organizationId }));
      const json = ["content-type", "application/json"] as const;
      await send({ method: "POST", path: "/api/workspaces", headers: [...headers, json], body });
    }
  }
  system.nats.pause();
  await system.postgres.stopImmediately();
  await everywhere(1);
  system.nats.resume();
  await system.postgres.start();
  await everywhere(1);
  client.close();
  return { "bodies of errors": bodies.join("\n") };
}
