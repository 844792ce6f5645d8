import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { readTraceparent, readTracestate } from "./trace-context.ts";

/** What connects all that is done for one request, in every program. */
export interface Correlation {
  /** Returned to the caller with each response, and in each log line. */
  readonly requestId: string;
  /** Of the current span; as the caller sent it while tracing is off. Empty if there is none. */
  readonly traceparent: string;
  /** Empty without a `traceparent`. */
  readonly tracestate: string;
  /** Those that share this work; absent while it is done for one request. */
  readonly sharedBy?: readonly Correlation[];
}

/** Names of headers in lower case, as Node has them. */
export type CorrelationHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const current = new AsyncLocalStorage<Correlation | undefined>();

/** Returns the correlation of the request that this code runs for; undefined outside of requests and events. */
export function currentCorrelation(): Correlation | undefined {
  return current.getStore();
}

/** Runs work, and everything that it awaits, for a request; for none if `correlation` is undefined. */
export function correlate<T>(correlation: Correlation | undefined, work: () => T): T {
  return current.run(correlation, work);
}

/** Not what contains a security token (`cst_…`): an id is in every log. */
const ID = /^(?!.*cst_)[\x21-\x7e]{1,128}$/;

/**
 * Returns an id as sent if it is printable, without spaces and at most 128 characters long, and no security token; otherwise
 * a new UUID.
 */
export function requestIdFrom(sent: unknown): string {
  return typeof sent === "string" && ID.test(sent) ? sent : randomUUID();
}

/** Reads `x-request-id`, `traceparent` and `tracestate` of a request. What is malformed counts as absent. */
export function correlationFrom(headers: CorrelationHeaders): Correlation {
  const { traceparent: sent } = headers;
  const traceparent = sent === undefined ? "" : readTraceparent(sent);
  return {
    requestId: requestIdFrom(headers["x-request-id"]),
    traceparent,
    tracestate: traceparent === "" ? "" : readTracestate(headers["tracestate"]),
  };
}

/**
 * Returns the correlation of work that is done once for several requests: theirs if they are one, otherwise one with an id
 * of its own, because the work of no request may be taken for that of another. Spans link to all of them.
 */
export function joinCorrelations(all: readonly (Correlation | undefined)[]): Correlation | undefined {
  const byId = new Map(all.flatMap((one) => (one === undefined ? [] : [[one.requestId, one] as const])));
  const [first] = byId.values();
  if (first === undefined || byId.size === 1) return first;
  return { requestId: randomUUID(), traceparent: "", tracestate: "", sharedBy: [...byId.values()] };
}
