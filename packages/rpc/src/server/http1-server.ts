import http, { type RequestListener } from "node:http";
import type { Socket } from "node:net";
import { HTTP1_TIMES, limitUnsent, scheduleFairly } from "@cloud/runtime/limits";
import type { connectNodeAdapter } from "@connectrpc/connect-node";

/** A listener for requests of both servers, HTTP/1.1 and HTTP/2. */
export type NodeHandler = ReturnType<typeof connectNodeAdapter>;

interface Http1Server {
  readonly server: http.Server;
  /** Leaves the idle connections. A request sent at the same moment is not lost: it is refused, unread. */
  closeIdle(): void;
  stop(): void;
}

/** Creates a server that never listens itself, but takes the connections that are emitted on it. */
export function createHttp1Server(handler: RequestListener, ageMs: number): Http1Server {
  const kept = createConnectionReaper(ageMs);
  const unsent = limitUnsent(handler);
  const server = http.createServer({ ...HTTP1_TIMES, maxHeaderSize: MAX_HEADER_BYTES });
  server.on("connection", kept.add).on("request", kept.serve(scheduleFairly(server, unsent.listener)));
  server.emit("listening"); // makes it track its connections, so that idle ones can be closed
  const stop = () => {
    server.close();
    unsent.stop();
  };
  return { server, closeIdle: kept.closeIdle, stop };
}

/**
 * The limit of headers: 16 KiB as at the gateway, and 4 KiB for the headers that the gateway adds. Without the 4 KiB, a
 * client that used its 16 KiB for a `tracestate` was returned an internal error.
 */
const MAX_HEADER_BYTES = 20_480;

interface Kept {
  readonly since: number;
  inFlight: number;
}

/**
 * Ends kept connections of HTTP/1.1 without losing a request. A connection older than `ageMs` closes after its next
 * response, which says so: clients spread over new replicas. When the server stops, an idle connection is ended by
 * `408 Request Timeout`. If it were just closed, the client of a request in transit could not know whether it was
 * processed.
 */
function createConnectionReaper(ageMs: number) {
  const connections = new Map<Socket, Kept>();
  const closeConnection = (socket: Socket) => {
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
        if (kept === undefined) return; // left: its client has received the farewell
        kept.inFlight++;
        if (performance.now() - kept.since > ageMs) response.shouldKeepAlive = false;
        response.once("close", () => {
          kept.inFlight--;
        });
        listener(request, response);
      },
    closeIdle: () => {
      for (const [socket, { inFlight }] of connections) {
        if (inFlight === 0) closeConnection(socket);
      }
    },
  };
}

/** Milliseconds in which a client may close its end of a connection that the server has left. */
const LINGER_MS = 1_000;

/** The last bytes on a connection that the server leaves: it will process no further request (RFC 9110, 15.5.9). */
const FAREWELL = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
