import { causesOf, isTlsFault } from "@cloud/telemetry";

/**
 * Returns whether any cause has Node's code of a broken connection. The transport recognizes only some of them: it
 * treats EHOSTUNREACH, EPIPE and a certificate that is not accepted, for example, as internal errors.
 */
export function isConnectionTrouble(error: unknown): boolean {
  return causesOf(error).some((cause) => {
    const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
    if (isTlsFault(cause)) return true;
    return NETWORK.has(code) || (code === "ERR_HTTP2_STREAM_ERROR" && String(message).endsWith(NO_ROOM));
  });
}

/** Node's answer to a stream for which its session has no memory left, on either side of the connection. */
const NO_ROOM = "NGHTTP2_ENHANCE_YOUR_CALM";

const NETWORK: ReadonlySet<unknown> = new Set([
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
