import type { RequestListener } from "node:http";
import type { Socket } from "node:net";

/** How long a client has to close its end of a connection that the server has left. */
const LINGER_MS = 1_000;

/** What a client receives instead of a response to a request that the server will not process (RFC 9110, 15.5.9). */
const FAREWELL = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

export interface KeptConnections {
  /** Registers a new connection of the server. */
  add(socket: Socket): void;
  /** Wraps the listener of requests, outside all others. */
  serve(listener: RequestListener): RequestListener;
  /** Leaves the connections without a request, so that none sent at the same moment is lost: it is refused, unread. */
  leaveIdle(): void;
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
export function keepConnections(ageMs: number): KeptConnections {
  const connections = new Map<Socket, Kept>();
  const leaveOne = (socket: Socket) => {
    connections.delete(socket);
    socket.end(FAREWELL);
    setTimeout(() => void socket.destroy(), LINGER_MS).unref();
  };
  return {
    add: (socket) => {
      connections.set(socket, { since: performance.now(), inFlight: 0 });
      socket.once("close", () => connections.delete(socket));
    },
    serve: (listener) => (request, response) => {
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
