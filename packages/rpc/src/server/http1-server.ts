import http, { type RequestListener } from "node:http";
import type { Socket } from "node:net";
import { HTTP1_TIMES, limitUnsent, serveInTurn } from "@cloud/runtime/limits";
import { cors } from "@connectrpc/connect";
import type { connectNodeAdapter } from "@connectrpc/connect-node";

/**
 * Bytes: 16 KiB as at the gateway, and 4 for those that it adds to the ones that it forwards. Without them, a client that
 * used its 16 KiB for a `tracestate` was returned an internal error.
 */
const MAX_HEADER_BYTES = 20_480;

/** How long a client has to close its end of a connection that the server has left. */
const LINGER_MS = 1_000;

/** What a client receives instead of a response to a request that the server will not process (RFC 9110, 15.5.9). */
const FAREWELL = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

export interface Http1Server {
  readonly server: http.Server;
  /** Leaves the connections without a request, so that none sent at the same moment is lost: it is refused, unread. */
  leaveIdle(): void;
  stop(): void;
}

/** Creates a server that never listens itself, but takes the connections that are emitted on it. */
export function createHttp1Server(handler: RequestListener, ageMs: number): Http1Server {
  const kept = keepConnections(ageMs);
  const unsent = limitUnsent(handler);
  const server = http.createServer({ ...HTTP1_TIMES, maxHeaderSize: MAX_HEADER_BYTES });
  server.on("connection", kept.add).on("request", kept.serve(serveInTurn(server, unsent.listener)));
  server.emit("listening"); // makes it track its connections, so that idle ones can be closed
  const stop = () => {
    server.close();
    unsent.stop();
  };
  return { server, leaveIdle: kept.leaveIdle, stop };
}

interface Kept {
  readonly since: number;
  inFlight: number;
}

/**
 * Ends kept connections of HTTP/1.1 so that no request is lost with one: one that is older than `ageMs` after its next
 * response, which says so, so that clients spread over new replicas; and an idle one, when the server stops, by `408
 * Request Timeout`. A connection that is closed without a word leaves the client of a request in transit in doubt whether
 * it was processed.
 */
function keepConnections(ageMs: number) {
  const connections = new Map<Socket, Kept>();
  const leaveOne = (socket: Socket) => {
    connections.delete(socket);
    socket.end(FAREWELL);
    setTimeout(() => void socket.destroy(), LINGER_MS).unref();
  };
  return {
    add: (socket: Socket) => {
      connections.set(socket, { since: performance.now(), inFlight: 0 });
      socket.once("close", () => connections.delete(socket));
    },
    /** Wraps the listener of requests, outside all others. */
    serve:
      (listener: RequestListener): RequestListener =>
      (request, response) => {
        const kept = connections.get(request.socket);
        if (kept === undefined) return; // left: its client has the farewell for an answer
        kept.inFlight++;
        if (performance.now() - kept.since > ageMs) response.shouldKeepAlive = false;
        response.once("close", () => {
          kept.inFlight--;
        });
        listener(request, response);
      },
    leaveIdle: () => {
      for (const [socket, { inFlight }] of connections) {
        if (inFlight === 0) leaveOne(socket);
      }
    },
  };
}

/** Headers that a page may send, besides those of the protocols. */
const SENT = [
  "Authorization",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "service-current-orgid",
  "X-Request-Id",
  "traceparent",
  "tracestate",
];
/** Headers and trailers that a page may read; Connect sends trailers as headers with a prefix. */
const READ = ["ETag", "Idempotent-Replayed", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"];

const EXPOSED = [...cors.exposedHeaders, ...READ, ...READ.map((name) => `Trailer-${name}`)].join(", ");

const PREFLIGHT = {
  "Access-Control-Allow-Methods": "POST",
  "Access-Control-Allow-Headers": [...cors.allowedHeaders, ...SENT].join(", "),
  "Access-Control-Max-Age": "600",
};

/**
 * Permits pages of these origins to call, and to read replies (the Fetch standard, 3.2). A request of another origin is
 * served as without the setting: its page may not read the reply. Tokens are in a header, so no page needs cookies.
 */
export function allowOrigins(origins: readonly string[] | "*", handler: NodeHandler): NodeHandler {
  const known = new Set(origins === "*" ? [] : origins);
  return (request, response) => {
    const { origin } = request.headers;
    // Also without an allowed origin: a cache must not give the reply to another one.
    if (origins !== "*") response.setHeader("Vary", "Origin");
    if (origin === undefined || (origins !== "*" && !known.has(origin))) return handler(request, response);
    response.setHeader("Access-Control-Allow-Origin", origins === "*" ? "*" : origin);
    if (request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined) {
      for (const [name, value] of Object.entries(PREFLIGHT)) response.setHeader(name, value);
      response.statusCode = 204;
      response.end();
      request.resume();
      return;
    }
    response.setHeader("Access-Control-Expose-Headers", EXPOSED);
    handler(request, response);
  };
}

/** Handles requests of both kinds of server. */
export type NodeHandler = ReturnType<typeof connectNodeAdapter>;
