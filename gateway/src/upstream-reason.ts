import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { reasonOf } from "@cloud/rpc";

/** Why the call of a service failed. Trouble with the connection is UNAVAILABLE, whatever code the transport gave it. */
export function upstreamReason(error: unknown): Reason {
  const reason = reasonOf(error);
  return reason === Reason.INTERNAL && isConnectionTrouble(error) ? Reason.UNAVAILABLE : reason;
}

// The transport knows only some of Node's codes: EHOSTUNREACH and EPIPE, for example, it takes for internal errors.
function isConnectionTrouble(error: unknown): boolean {
  let at = error;
  for (let depth = 0; depth < 8 && typeof at === "object" && at !== null; depth++) {
    if ("code" in at && typeof at.code === "string" && NETWORK.has(at.code)) return true;
    at = "cause" in at ? at.cause : undefined;
  }
  return false;
}

const NETWORK: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ERR_HTTP2_GOAWAY_SESSION",
  "ERR_HTTP2_INVALID_SESSION",
  "ERR_HTTP2_SESSION_ERROR",
  "ERR_HTTP2_STREAM_CANCEL",
  "ETIMEDOUT",
]);
