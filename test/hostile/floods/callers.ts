import { type Load, latenciesOf, type Sample, startLoad } from "@cloud/testkit/figures";
import type { System } from "../../chaos/system/start-system.ts";
import { createWireClient } from "../wire/send-http.ts";

export const PER_SECOND = 60;
/** An answer later than this is not good. */
const GOOD_MS = 1_000;
/** The time that a caller waits. */
const DEADLINE_MS = 10_000;

export interface Callers {
  /** Sends ordinary requests at a steady rate; each resolves with the status. */
  start(): Load<number>;
  close(): void;
}

/** Callers of the REST API, whose requests pass through gateway, identity and workspace service. */
export function createCallers({ gateway, demo }: System): Callers {
  const client = createWireClient(gateway.url, { connections: 64, deadlineMs: DEADLINE_MS });
  const [organization] = demo.organizations;
  const path = `/api/workspaces?orgId=${organization?.id}`;
  const headers = [["authorization", `Bearer ${demo.users.user.token}`]] as const;
  const send = async () => (await client.send({ method: "GET", path, headers })).status;
  return { start: () => startLoad(PER_SECOND, send), close: () => client.close() };
}

export const isGood = ({ result, ms }: Sample<number>) => result === 200 && ms <= GOOD_MS;

/** Returns the latencies of all requests. A failed request, however soon, counts as if its caller waited in vain. */
export const latencies = (samples: readonly Sample<number>[]) =>
  latenciesOf(samples.map(({ result, ms }) => (result === 200 ? ms : Math.max(ms, DEADLINE_MS))));

/** Counts the requests by what came of them, other than 200. */
export function failuresOf(samples: readonly Sample<number>[]): Record<string, number> {
  const failures: Record<string, number> = {};
  for (const { result, error } of samples) {
    const what = error === undefined ? String(result) : String((error as Error).message);
    if (what !== "200") failures[what] = (failures[what] ?? 0) + 1;
  }
  return failures;
}
