/** Version, trace id, span id, flags, and what a later version may add (W3C Trace Context, 3.2). */
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
/** W3C: at least 512 characters are passed on. Not a security token (`cst_…`): the outbox stores the state. */
const STATE = /^(?!.*cst_)[\x20-\x7e]{1,512}$/;

export interface TraceParent {
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

/** Writes version 00. */
export function writeTraceparent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, "0")}`;
}

/** Returns a `traceparent` unchanged, one of a later version as version 00, and an empty text for a malformed or absent one. */
export function readTraceparent(sent: unknown): string {
  const parsed = typeof sent === "string" ? parseTraceparent(sent) : undefined;
  if (parsed === undefined) return "";
  const isCurrent = (sent as string).startsWith("00");
  return isCurrent ? (sent as string) : writeTraceparent({ ...parsed, flags: parsed.flags & 1 });
}

/** Returns a `tracestate`; an empty text for one beyond 512 characters or printable ASCII, and for a token. */
export function readTracestate(sent: unknown): string {
  return typeof sent === "string" && STATE.test(sent) ? sent : "";
}
