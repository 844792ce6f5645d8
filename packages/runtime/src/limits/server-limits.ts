import type { Server, Socket } from "node:net";
import * as z from "zod";
import { count, inFlightLimit } from "../settings/settings.ts";
import type { InFlightLimit } from "./admission.ts";

/** The most requests and connections that a server accepts. */
export interface ServerLimits {
  /** Requests in flight; more are refused with 503. */
  readonly maxInFlight: InFlightLimit;
  /** Connections of the process, and of one remote address; more are closed. */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
}

/** The environment variables for the limits, the same in every program. */
export const serverLimitSettings = () => ({
  MAX_IN_FLIGHT: inFlightLimit().describe(
    "requests in flight: of a service, and of the gateway to each service, at most half of these with one token while there are others; more are refused. `auto` finds the number from their latency",
  ),
  MAX_CONNECTIONS: count(4_096).describe("connections to the port for clients; more are closed"),
  MAX_CONNECTIONS_PER_ADDRESS: count(1_024).describe("of them, from one address"),
});

type Settings = Readonly<z.output<z.ZodObject<ReturnType<typeof serverLimitSettings>>>>;

export function serverLimits(settings: Settings): ServerLimits {
  return {
    maxInFlight: settings.MAX_IN_FLIGHT,
    maxConnections: settings.MAX_CONNECTIONS,
    maxConnectionsPerAddress: settings.MAX_CONNECTIONS_PER_ADDRESS,
  };
}

/** The limits of a program whose settings are all absent. */
export const DEFAULT_LIMITS: ServerLimits = serverLimits(z.object(serverLimitSettings()).parse({}));

type ConnectionLimits = Pick<ServerLimits, "maxConnections" | "maxConnectionsPerAddress">;

/**
 * Closes a connection beyond the limits immediately, so that no client can take all of them. Does not use
 * `server.maxConnections`, which is a limit of one listening socket.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const perAddress = new Map<string, number>();
  let total = 0;
  server.prependListener("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    const count = (perAddress.get(address) ?? 0) + 1;
    perAddress.set(address, count);
    total++;
    socket.once("close", () => {
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left === 0) perAddress.delete(address);
      else perAddress.set(address, left);
      total--;
    });
    if (count > limits.maxConnectionsPerAddress || total > limits.maxConnections) socket.destroy();
  });
}

/** Time limits of every HTTP/1.1 server, in milliseconds; options of Node's `createServer`. */
export const HTTP1_TIMES = {
  headersTimeout: 10_000,
  /** The limit of a whole request with its body: a client that sends it very slowly holds a connection no longer. */
  requestTimeout: 30_000,
  /** The interval of the checks of the two. */
  connectionsCheckingInterval: 1_000,
  /**
   * The limit of an idle connection. It is longer than load balancers keep theirs (60 s), and than a client of this
   * project (30 s), so that no request is sent on a connection that is being closed.
   */
  keepAliveTimeout: 65_000,
} as const;
