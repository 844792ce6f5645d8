import type { ReplyHeaders } from "../calls/route-transport.ts";
import type { HttpRequest } from "./http-request.ts";

/** Names of headers, or a function that returns headers. */
export type RequestMetadata = readonly string[] | ((request: HttpRequest) => Readonly<Record<string, string>>);

/** What an RPC receives of a request's headers: who calls, what must match, and the trace. */
export const REQUEST_METADATA: readonly string[] = [
  "authorization",
  "if-match",
  "if-none-match",
  "traceparent",
  "tracestate",
];

/** What a response has of the headers and trailers of an RPC's reply. */
export const REPLY_METADATA: readonly string[] = ["ETag", "Last-Modified", "Cache-Control"];

export type Headers = Readonly<Record<string, string>>;

/** Creates the headers sent with an RPC. @throws TypeError for a name that belongs to the connection or the protocol */
export function createRequestMetadata(metadata: RequestMetadata): (request: HttpRequest) => Headers {
  if (typeof metadata === "function") return (request) => printableOnly(metadata(request));
  const names = metadata.map(checkedName);
  return ({ headers }) => {
    const forwarded: Record<string, string> = {};
    for (const name of names) {
      const value = headers[name];
      if (typeof value === "string" && PRINTABLE.test(value)) forwarded[name] = value;
    }
    return forwarded;
  };
}

/**
 * Creates the headers that a response has of a reply. A trailer counts like a header: the whole reply is here before the
 * response begins. @throws TypeError as `createRequestMetadata` does
 */
export function createReplyMetadata(metadata: readonly string[]): (received: ReplyHeaders) => Headers {
  const names = metadata.map((name) => [name, checkedName(name)] as const);
  if (names.length === 0) return () => NONE;
  return (received) => {
    const headers: Record<string, string> = {};
    for (const [shown, name] of names) {
      // Connect has trailers of unary calls among the headers, with a prefix.
      const value = received[name] ?? received[`trailer-${name}`];
      if (typeof value === "string") headers[shown] = value;
    }
    return headers;
  };
}

const NONE: Headers = {};

function checkedName(sent: string): string {
  const name = sent.toLowerCase();
  if (RESERVED.test(name) || !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
    throw new TypeError(`"${sent}" cannot be passed on: it belongs to the connection, the body or the protocol`);
  return name;
}

/** What either side sets itself. */
const RESERVED =
  /^(?:connection|content-.*|expect|host|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|grpc-.*|connect-.*)$/;

// HTTP/2 rejects some values that HTTP/1.1 accepted; no service could interpret them, so they are dropped.
function printableOnly(headers: Headers): Headers {
  for (const name in headers) if (!PRINTABLE.test(headers[name] ?? "")) return onlyPrintable(headers);
  return headers;
}

function onlyPrintable(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => PRINTABLE.test(value)));
}

const PRINTABLE = /^[\x20-\x7e]*$/;
