import { waitFor } from "@cloud/testkit";
import { type Load, latenciesOf, type Sample, startLoad } from "@cloud/testkit/figures";
import type { RestResponse } from "../../e2e/rest.ts";

export type SendRequest = () => Promise<RestResponse>;

/** A part of the system that is black-holed or slow for a while, and the requests that are sent meanwhile. */
export interface FaultyPart {
  readonly name: string;
  /** Starts the fault and returns the function that ends it. */
  readonly begin: () => () => void;
  readonly lastsMs: number;
  readonly requests: readonly SendRequest[];
  /** The statuses that these requests may get. */
  readonly allowed: readonly number[];
  /** Resolves when the system has detected the fault. For a part that no request needs. */
  readonly noticed?: () => Promise<unknown>;
}

export interface Endured {
  readonly part: string;
  /** The period of the fault, on the clock of the load that does not need the part. */
  readonly from: number;
  readonly to: number;
  /** Milliseconds until the first request got 503 or 504, or the loss was detected. */
  readonly noticedMs: number | undefined;
  /** Number of requests by status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly longestMs: number;
  readonly maxInFlight: number;
  /** Milliseconds from the end of the fault until each request succeeds again. */
  readonly recoveredMs: number;
}

/** Requests per second for each part. */
export const PER_SECOND = 12;

/** Runs the system with a faulty part; `healthy` is a continuing load of requests that do not need it. */
export async function endure(part: FaultyPart, healthy: Load<unknown>): Promise<Endured> {
  const { requests, lastsMs } = part;
  let maxInFlight = 0;
  let inFlight = 0;
  const from = healthy.now();
  const end = part.begin();
  const noticing = part.noticed?.().then(() => healthy.now() - from);
  const load = startLoad(PER_SECOND, async (index) => {
    maxInFlight = Math.max(maxInFlight, ++inFlight);
    return await (requests[index % requests.length] as SendRequest)().finally(() => inFlight--);
  });
  await waitFor(() => load.now() >= lastsMs || undefined, { deadlineMs: 2 * lastsMs });
  // Healed only after the last reply, so that no request succeeds because of the healing.
  const samples = await load.stop();
  const noticedMs = (await noticing) ?? firstRefused(samples);
  const to = healthy.now();
  end();
  await waitFor(() => allSucceed(requests), { deadlineMs: 20_000 });
  return {
    part: part.name,
    from,
    to,
    noticedMs,
    statuses: countStatuses(samples),
    longestMs: latenciesOf(samples.map(({ ms }) => ms)).max,
    maxInFlight,
    recoveredMs: healthy.now() - to,
  };
}

/** @throws Error with the replies, if one is not a success */
async function allSucceed(requests: readonly SendRequest[]): Promise<true> {
  const replies = await Promise.all(requests.map((send) => send()));
  if (replies.every(({ status }) => status < 300)) return true;
  throw new Error(replies.map(({ status, body }) => status + " " + JSON.stringify(body)).join(", "));
}

function firstRefused(samples: readonly Sample<RestResponse>[]): number | undefined {
  const refused = samples.filter(({ result }) => result?.status === 503 || result?.status === 504);
  return refused.length === 0 ? undefined : Math.min(...refused.map(({ at, ms }) => at + ms));
}

export function countStatuses(samples: readonly Sample<RestResponse>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { result } of samples) {
    const status = String(result?.status ?? "none");
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}
