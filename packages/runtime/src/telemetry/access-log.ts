import { crc32 } from "node:zlib";
import { type DestinationStream, pino } from "pino";
import { Counter, type Registry } from "prom-client";
import { type Correlation, parseTraceparent } from "./correlation.ts";

/** A request that has ended. */
export interface Access {
  readonly correlation: Correlation;
  /**
   * The method with a path template, or the RPC; `none` if it is neither. Never a path: it contains what clients write.
   */
  readonly route: string;
  /** The id of a user, or the name of a service; empty for a caller who is not authenticated. */
  readonly caller: string;
  /** The HTTP status, as in REST; 499 if the caller left before the response. */
  readonly status: number;
  /** The reason of an error, such as `WORKSPACE_NOT_FOUND`; `OK` for a success. */
  readonly code: string;
  readonly ms: number;
  /** The bytes of the response's body, as `countBody` counts them. */
  readonly bytes: number;
}

/** An event that was applied. */
interface AppliedEvent {
  readonly correlation: Correlation;
  readonly consumer: string;
  readonly type: string;
  readonly eventId: string;
  readonly ms: number;
}

/** A log with one line per request and program, and per event and consumer. */
export interface AccessLog {
  /** Returns whether the line of a success is written. */
  isSampled(requestId: string): boolean;
  write(access: Access): void;
  writeEvent(event: AppliedEvent): void;
}

interface AccessLogOptions {
  /** The fields of every line of the program. */
  readonly base: Readonly<Record<string, string>>;
  readonly level: string;
  /** The share of requests without an error that have a line, 0 to 1. */
  readonly sample: number;
  readonly destination: DestinationStream;
  readonly metrics: Registry;
  /** Milliseconds; `performance.now` if absent. */
  readonly now?: () => number;
}

/**
 * Lines per second for errors below status 500, besides the sample. A line costs 7 to 9 µs, a refusal in a flood hardly
 * more: 100,000 malformed requests a second must not become as many lines.
 */
const MAX_REFUSALS = 100;
/** Lines per second for errors from status 500 on. An overloaded program refuses thousands a second. */
const MAX_FAULTS = 1_000;

/** Creates the log of requests, with a line for each error within a bound, and for a share of all others. */
export function createAccessLog(options: AccessLogOptions): AccessLog {
  const { base, level, sample, destination, metrics, now = () => performance.now() } = options;
  const omitted = new Counter({
    name: "access_lines_omitted_total",
    help: "Lines of errors that were not written, because more of their kind had ended in the same second.",
    labelNames: ["kind"],
    registers: [metrics],
  });
  for (const kind of ["refusal", "fault"]) omitted.inc({ kind }, 0);
  // Without redaction, for which pino copies each object: no field can contain a token.
  const log = pino({ base, level, formatters: { level: (label: string) => ({ level: label }) } }, destination);
  const refusals = createLineBound(MAX_REFUSALS, now);
  const faults = createLineBound(MAX_FAULTS, now);
  const isKept = ({ status, correlation }: Access): boolean => {
    if (isSampled(correlation.requestId, sample)) return true;
    if (status < 400) return false;
    const isFault = status >= 500;
    if ((isFault ? faults : refusals)()) return true;
    omitted.inc({ kind: isFault ? "fault" : "refusal" });
    return false;
  };
  return {
    isSampled: (requestId) => isSampled(requestId, sample),
    write: (access) => {
      if (!isKept(access)) return;
      const { correlation, route, caller, status, code, ms, bytes } = access;
      log.info({ ...idsOf(correlation), route, caller, status, code, ms: rounded(ms), bytes }, "request");
    },
    writeEvent: ({ correlation, ms, ...event }) => {
      if (!isSampled(correlation.requestId, sample)) return;
      log.info({ ...idsOf(correlation), ...event, ms: rounded(ms) }, "event applied");
    },
  };
}

/** Returns the fields by which lines are found. */
export function idsOf({ requestId, traceparent }: Correlation): { requestId: string; traceId?: string } {
  const traceId = traceparent === "" ? undefined : parseTraceparent(traceparent)?.traceId;
  return traceId === undefined ? { requestId } : { requestId, traceId };
}

const rounded = (ms: number) => Math.round(ms * 100) / 100;

/**
 * Returns whether a request is among the `share` that have a line. A hash of its id decides, so all programs select the
 * same requests, and a story that has a line has all of them.
 */
export function isSampled(requestId: string, share: number): boolean {
  if (share >= 1) return true; // protects: access-sample
  if (share <= 0) return false;
  return crc32(requestId) / 2 ** 32 < share;
}

/** Creates a bound of `perSecond`, which returns whether one more is within it. `now` returns milliseconds. */
function createLineBound(perSecond: number, now: () => number): () => boolean {
  let [second, count] = [0, 0];
  return () => {
    const current = Math.floor(now() / 1_000);
    if (current !== second) [second, count] = [current, 0];
    count++;
    return count <= perSecond;
  };
}
