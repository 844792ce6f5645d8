/**
 * Whether Node's code of a broken connection is somewhere among the causes. The transport knows only some of them:
 * EHOSTUNREACH and EPIPE, for example, it takes for internal errors.
 */
export function isConnectionTrouble(error: unknown): boolean {
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
