import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { codeOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Access, Telemetry } from "@cloud/runtime/telemetry";
import type { Cors, HttpRequest, HttpResponse } from "@cloud/transcoder";
import { errorResponse, plainFailure } from "./errors.ts";

/**
 * Responds with the error body of the gateway to a request that Node's parser refuses, or that is not sent in time.
 * Node's own response has no body. The connection is closed afterwards: where the next request would begin is unknown.
 */
export function refuseUnparsed(server: Server, options: RefusalOptions): void {
  const inFlight = new WeakMap<Duplex, Set<ServerResponse>>();
  const refused = new WeakSet<Duplex>();
  server.prependListener("request", ({ socket }, response) => {
    const responses = inFlight.get(socket) ?? new Set();
    inFlight.set(socket, responses.add(response));
    response.once("close", () => responses.delete(response));
  });
  server.on("clientError", (error: ParserError, socket) => {
    // The parser fails again with everything that the client sends afterwards.
    if (refused.has(socket)) return;
    refused.add(socket);
    const responses = inFlight.get(socket) ?? new Set();
    refuse(error, socket, responses, options).catch(() => socket.destroy());
  });
}

/** An error of Node's parser, with the bytes at which it failed. */
interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

async function refuse(
  error: ParserError,
  socket: Duplex,
  inFlight: ReadonlySet<ServerResponse>,
  { access, cors }: RefusalOptions,
) {
  const reason = reasonOf(error);
  // Requests before the refused one were received completely, and get their own responses first.
  const earlier = [...inFlight].filter(({ req }) => req.complete);
  await Promise.all(earlier.map((response) => once(response, "close")));
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  // A response that has begun is left to be sent: in the middle of it, an error would become a part of it.
  if ([...inFlight].some(({ headersSent }) => headersSent)) socket.end();
  else {
    const response = errorResponse(plainFailure(reason), randomUUID());
    socket.end(writeWhole(cors?.allow({ headers: originIn(error) } as HttpRequest, response) ?? response));
    access?.write(refusedAccess(reason, response));
  }
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Milliseconds in which a client that still sends may read the error: closing at once would discard it. */
const LINGER_MS = 1_000;

interface RefusalOptions extends Pick<Telemetry, "access"> {
  /** The headers of CORS; none if absent. */
  readonly cors?: Cors | undefined;
}

/** Returns the line of the access log: neither the route nor the caller of an unreadable request is known. */
function refusedAccess(reason: Reason, { status, headers, body = "" }: HttpResponse): Access {
  const correlation = { requestId: headers["X-Request-Id"] ?? "", traceparent: "", tracestate: "" };
  const bytes = Buffer.byteLength(body);
  return { correlation, route: "none", caller: "", status, code: codeOf(reason), ms: 0, bytes };
}

/**
 * Finds the header Origin in the bytes at which the parser failed. Without it, a page cannot read why its request was
 * refused. Earlier bytes are not kept, so a page cannot read that its headers are too large.
 */
function originIn({ rawPacket }: ParserError): { readonly origin?: string } {
  const [, origin] = /^origin:[ \t]*(\S+)[ \t]*\r$/im.exec(rawPacket?.toString("latin1") ?? "") ?? [];
  return origin === undefined ? {} : { origin };
}

/** Writes a whole HTTP response: Node has no response object for a request that it could not read. */
function writeWhole({ status, headers, body = "" }: HttpResponse): string {
  const length = Buffer.byteLength(body);
  const fields = { ...headers, "Content-Length": length, Connection: "close" };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n");
}

function reasonOf({ code }: NodeJS.ErrnoException): Reason {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return Reason.HEADERS_TOO_LARGE;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return Reason.REQUEST_TIMEOUT;
    default:
      return Reason.MALFORMED_REQUEST;
  }
}
