import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

/** The ids that connect all that is done for one request, in every program. */
export interface Correlation {
  /** Returned to the caller with each response, and in each log line. */
  readonly requestId: string;
  /** The current span; while tracing is off, the value that the caller sent. Empty if there is none. */
  readonly traceparent: string;
  /** Empty without a `traceparent`. */
  readonly tracestate: string;
  /** The requests that share this work; absent while it is done for one request. */
  readonly sharedBy?: readonly Correlation[];
}

/** Names of headers in lower case, as Node has them. */
type CorrelationHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the correlation of the request that this code runs for; undefined outside of requests and events. */
export function currentCorrelation(): Correlation | undefined {
  return current.getStore();
}

/** Runs work, and everything that it awaits, for a request; for none if `correlation` is undefined. */
export function correlate<T>(correlation: Correlation | undefined, work: () => T): T {
  return current.run(correlation, work);
}

const current = new AsyncLocalStorage<Correlation | undefined>();

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
 * Returns the correlation of work that is done once for several requests. If they are one request, it is theirs;
 * otherwise it has an id of its own, because the work of no request may be taken for another's. The work belongs to the
 * trace of the first of them that is sampled, so that the trace is whole; its spans link to all of them.
 */
export function joinCorrelations(all: readonly (Correlation | undefined)[]): Correlation | undefined {
  const byId = new Map(all.flatMap((one) => (one === undefined ? [] : [[one.requestId, one] as const])));
  const [first] = byId.values();
  if (first === undefined || byId.size === 1) return first;
  const sharedBy = [...byId.values()];
  const { traceparent = "", tracestate = "" } = sharedBy.find(isSampled) ?? {}; // protects: whole-traces
  return { requestId: randomUUID(), traceparent, tracestate, sharedBy };
}

const isSampled = ({ traceparent }: Correlation) => ((parseTraceparent(traceparent)?.flags ?? 0) & 1) === 1;

/** Adds the headers by which the peer continues the request; see `correlationFrom`, which reads them. */
export function addCorrelation(correlation: Correlation | undefined, add: (name: string, value: string) => void): void {
  if (correlation === undefined) return;
  const { requestId, traceparent, tracestate } = correlation;
  if (requestId !== "") add("x-request-id", requestId); // protects: request-id
  if (traceparent !== "") add("traceparent", traceparent);
  if (tracestate !== "") add("tracestate", tracestate);
}

interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** Parses a `traceparent`; undefined for one that the rules of W3C refuse. A later version is read as version 00. */
export function parseTraceparent(sent: string): TraceParent | undefined {
  const [, version, traceId = "", spanId = "", flags = "", more] = FORM.exec(sent) ?? [];
  if (version === undefined || version === "ff" || ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  if (version === "00" && more !== undefined) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/** Writes a `traceparent` of version 00. */
export function writeTraceparent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, "0")}`;
}

/** A `traceparent`: version, trace id, span id, flags, and what a later version may add (W3C Trace Context, 3.2). */
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
/**
 * An accepted `tracestate`: W3C demands that at least 512 characters are passed on. It contains no security token
 * (`cst_…`): the outbox stores it.
 */
const STATE = /^(?!.*cst_)[\x20-\x7e]{1,512}$/;

/**
 * Returns an id as sent if it is printable, without spaces and at most 128 characters long, and no security token;
 * otherwise a new UUID.
 */
function requestIdFrom(sent: unknown): string {
  return typeof sent === "string" && ID.test(sent) ? sent : randomUUID();
}

/** The form of an accepted id. It contains no security token (`cst_…`): an id is in every log. */
const ID = /^(?!.*cst_)[\x21-\x7e]{1,128}$/;

/**
 * Returns a `traceparent` unchanged, one of a later version as version 00, and an empty text for a malformed or absent
 * one.
 */
function readTraceparent(sent: unknown): string {
  const parsed = typeof sent === "string" ? parseTraceparent(sent) : undefined;
  if (parsed === undefined) return "";
  const isCurrent = (sent as string).startsWith("00");
  return isCurrent ? (sent as string) : writeTraceparent({ ...parsed, flags: parsed.flags & 1 });
}

/** Returns a `tracestate`; an empty text for one beyond 512 characters or printable ASCII, and for a token. */
function readTracestate(sent: unknown): string {
  return typeof sent === "string" && STATE.test(sent) ? sent : "";
}
