import { ErrorInfoSchema, RetryInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";

/**
 * The fate of a call that failed. Final: another try does not change the failure. Not begun: no service began to
 * process it. Unknown: it may have been processed.
 */
type Fate = "final" | "not begun" | "unknown";

/** Returns what became of a call that failed with the error. */
export function fateOf(error: unknown): Fate {
  if (!(error instanceof ConnectError)) return "final";
  switch (error.code) {
    case Code.ResourceExhausted:
      // A rate limit ends; a message that is too large stays too large.
      return error.findDetails(RetryInfoSchema).length > 0 ? "not begun" : "final";
    case Code.Unavailable:
      return reasonOf(error) === "OVERLOADED" || wasNeverSent(error) ? "not begun" : "unknown";
    case Code.Aborted:
    case Code.Internal:
    case Code.Unknown:
      if (wasNeverSent(error)) return "not begun";
      return isBrokenConnection(error) ? "unknown" : "final";
    default:
      return "final";
  }
}

/** Returns the reason of the catalogue that the error has, such as `OVERLOADED`; undefined for other errors. */
const reasonOf = (error: ConnectError) =>
  error.findDetails(ErrorInfoSchema).find(({ domain }) => domain === "cloud")?.reason;

/** Returns whether no connection was made. */
const wasNeverSent = (error: Error) => causesOf(error).some(({ code }) => NOT_CONNECTED.has(code));

const isBrokenConnection = (error: Error) =>
  causesOf(error).some((cause) => BROKEN.has(cause.code) || isFailedFetch(cause));

/** A cause, as Node and browsers throw it; `fetch` of browsers has no codes. */
interface Cause {
  readonly code?: unknown;
  readonly name?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
}

/**
 * Returns whether `fetch` failed: Chromium reports "Failed to fetch", Firefox "NetworkError …", Safari "Load failed".
 */
const isFailedFetch = ({ name, message }: Cause) =>
  name === "TypeError" && /fetch|network|load failed/i.test(String(message));

/** Returns the causes of an error, at most ten. */
function causesOf(error: Error): Cause[] {
  const causes: Cause[] = [];
  let { cause } = error;
  while (typeof cause === "object" && cause !== null && causes.length < 10) {
    causes.push(cause);
    cause = (cause as Cause).cause;
  }
  return causes;
}

const NOT_CONNECTED: ReadonlySet<unknown> = new Set(["EAI_AGAIN", "ECONNREFUSED", "ENOTFOUND"]);

const BROKEN: ReadonlySet<unknown> = new Set([
  "ECONNABORTED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ERR_HTTP2_GOAWAY_SESSION",
  "ERR_HTTP2_SESSION_ERROR",
  "ERR_HTTP2_STREAM_CANCEL",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ETIMEDOUT",
]);
