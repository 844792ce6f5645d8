import { type Load, latenciesOf, type Sample, startLoad, waitFor } from "@cloud/testkit";
import type { Answer } from "../../rest.ts";

export type Ask = () => Promise<Answer>;

/** A part of the system that is black-holed or slow for a while, and the requests that are asked meanwhile. */
export interface FaultyPart {
  readonly name: string;
  /** Answers the function that ends it. */
  readonly begin: () => () => void;
  readonly lastsMs: number;
  readonly requests: readonly Ask[];
  /** The statuses that they may be answered with. */
  readonly allowed: readonly number[];
  /** For a part that no request needs: resolves when the system has noticed. */
  readonly noticed?: () => Promise<unknown>;
}

export interface Endured {
  readonly part: string;
  /** When it was bad, on the clock of the load that does not need it. */
  readonly from: number;
  readonly to: number;
  /** Until the first request was answered 503 or 504, or the loss was noticed; in milliseconds. */
  readonly noticedMs: number | undefined;
  /** How many of the requests were answered with what. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly longestMs: number;
  readonly mostInFlight: number;
  /** From its end until each request is answered as ever. */
  readonly recoveredMs: number;
}

/** Requests per second, for each part. */
export const PER_SECOND = 12;

/** Lets the system endure a faulty part; `healthy` is a load of requests that do not need it, which goes on. */
export async function endure(part: FaultyPart, healthy: Load<unknown>): Promise<Endured> {
  const { requests, lastsMs } = part;
  let mostInFlight = 0;
  let inFlight = 0;
  const from = healthy.now();
  const end = part.begin();
  const noticing = part.noticed?.().then(() => healthy.now() - from);
  const load = startLoad(PER_SECOND, async (index) => {
    mostInFlight = Math.max(mostInFlight, ++inFlight);
    return await (requests[index % requests.length] as Ask)().finally(() => inFlight--);
  });
  await waitFor(() => load.now() >= lastsMs || undefined, { deadlineMs: 2 * lastsMs });
  // Healed only after the last is answered, so that nothing is answered because it was healed.
  const samples = await load.stop();
  const noticedMs = (await noticing) ?? firstRefused(samples);
  const to = healthy.now();
  end();
  await waitFor(() => answeredAsEver(requests), { deadlineMs: 20_000 });
  return {
    part: part.name,
    from,
    to,
    noticedMs,
    statuses: countStatuses(samples),
    longestMs: latenciesOf(samples.map(({ ms }) => ms)).max,
    mostInFlight,
    recoveredMs: healthy.now() - to,
  };
}

/** @throws Error with the answers of which one is not a success */
async function answeredAsEver(requests: readonly Ask[]): Promise<true> {
  const answers = await Promise.all(requests.map((ask) => ask()));
  if (answers.every(({ status }) => status < 300)) return true;
  throw new Error(answers.map(({ status, body }) => status + " " + JSON.stringify(body)).join(", "));
}

function firstRefused(samples: readonly Sample<Answer>[]): number | undefined {
  const refused = samples.filter(({ answer }) => answer?.status === 503 || answer?.status === 504);
  return refused.length === 0 ? undefined : Math.min(...refused.map(({ at, ms }) => at + ms));
}

export function countStatuses(samples: readonly Sample<Answer>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { answer } of samples) {
    const status = String(answer?.status ?? "none");
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}
