import { count, inFlightLimit } from "@cloud/config";
import * as z from "zod";
import type { InFlightLimit } from "./admission/create-admission.ts";

/** What a server takes on at most. */
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
    "requests in flight: of a service, and of the gateway to each service; more are refused. `auto` finds the number from their latency",
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
