import { createServer } from "node:http";
import { createServiceTransport, type TlsFiles } from "@cloud/rpc";
import { closeGracefully, drainHttp1, listen, type Readiness, serveExpectations } from "@cloud/runtime";
import {
  DEFAULT_LIMITS,
  HTTP1_TIMES,
  limitConnections,
  limitUnsent,
  type ServerLimits,
  scheduleFairly,
  serverLimitSettings,
} from "@cloud/runtime/limits";
import { corsOrigins, count, host, logLevel, peerTlsSettings, peerUrl, port, whole } from "@cloud/runtime/settings";
import type { Telemetry } from "@cloud/runtime/telemetry";
import { createCors } from "@cloud/transcoder";
import { corsOf, DEFAULT_MAX_WATCHES } from "./api-profile.ts";
import { createListener } from "./create-listener.ts";
import { refuseUnparsed } from "./refuse-unparsed.ts";
import { createReadiness } from "./services.ts";

export interface Gateway {
  readonly url: string;
  readonly port: number;
  /** Returns whether any service can be reached; checked at most once a second, however often it is asked. */
  readiness(): Promise<Readiness>;
  /** Keeps serving, but asks clients to reconnect, to another replica. */
  beginDrain(): void;
  /**
   * Leaves, stops accepting, finishes requests in flight within 10 seconds, and closes every
   * connection.
   */
  stop(): Promise<void>;
}

export interface GatewayConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly workspaceUrl: string;
  readonly environmentUrl: string;
  readonly identityUrl: string;
  /** Maximum duration of a request in milliseconds; 10,000 if absent. */
  readonly requestDeadlineMs?: number;
  /** The origins of pages that may call; none if absent. */
  readonly corsOrigins?: readonly string[] | "*" | undefined;
  /** The limits; `maxInFlight` applies to each service. `DEFAULT_LIMITS` of `@cloud/runtime/limits` if absent. */
  readonly limits?: ServerLimits;
  /** The most watches that are open at once; 800 if absent. */
  readonly maxWatches?: number;
  /**
   * The authorities of services with an https URL (Node's if absent), and the certificate that they may demand.
   */
  readonly peerTls?: TlsFiles | undefined;
  readonly telemetry: Telemetry;
}

/**
 * Starts the REST API. No service needs to be up: requests to a service that is down fail with 503. Throws if the port
 * is in use.
 */
export async function startGateway(config: GatewayConfig): Promise<Gateway> {
  // protects: gateway-deadline
  const { host, telemetry, requestDeadlineMs = 10_000, limits = DEFAULT_LIMITS, peerTls: tls } = config;
  const { tracing, metrics } = telemetry;
  const silentMs = SILENT_PART * requestDeadlineMs;
  const reach = (peer: string, url: string) =>
    createServiceTransport({ url, deadlineMs: requestDeadlineMs, silentMs, tls, tracing, measured: { peer, metrics } });
  const upstreams = {
    workspace: reach("workspace", config.workspaceUrl),
    environment: reach("environment", config.environmentUrl),
    identity: reach("identity", config.identityUrl),
  };
  const { maxInFlight } = limits;
  const cors = config.corsOrigins && corsOf(config.corsOrigins);
  const { listener: all, endStreams } = createListener({
    upstreams,
    deadlineMs: requestDeadlineMs,
    maxInFlight,
    maxStreams: config.maxWatches ?? DEFAULT_MAX_WATCHES,
    telemetry,
    cors,
  });
  const { listener, stop: stopLimit } = limitUnsent(all);
  const server = createServer(OPTIONS);
  server.on("request", scheduleFairly(server, listener)); // protects: served-in-turn
  limitConnections(server, limits);
  refuseUnparsed(server, { access: telemetry.access, cors: cors && createCors(cors) });
  serveExpectations(server);
  const listening = await listen(server, host, config.port);
  const stop = async () => {
    endStreams();
    await closeGracefully(listening, { http1: server, force: () => server.closeAllConnections() });
    stopLimit();
    for (const upstream of Object.values(upstreams)) upstream.close();
  };
  const { url, port } = listening;
  return { url, port, readiness: createReadiness(upstreams), beginDrain: () => drainHttp1(server), stop };
}

/**
 * The part of the deadline for which a service may be silent: 4.5 s of 10. A service that waits for a silent peer of
 * its own, or for a silent Postgres, replies after 4 s.
 */
const SILENT_PART = 0.45;

const OPTIONS = {
  ...HTTP1_TIMES,
  maxHeaderSize: 16_384,
  // `findRequestFault` refuses a request without Host instead, with a body.
  requireHostHeader: false,
};

/** The environment variables that the program reads. */
export const settings = {
  HOST: host().describe("the address to listen on"),
  PORT: port(8080).describe("the port for clients"),
  WORKSPACE_URL: peerUrl().describe("the workspace service"),
  ENVIRONMENT_URL: peerUrl().describe("the environment service"),
  IDENTITY_URL: peerUrl().describe("the identity service"),
  REQUEST_DEADLINE_MS: whole(100, 30_000)
    .default(10_000)
    .describe("milliseconds after which a request is answered with 504; a watch has no such limit"),
  CORS_ORIGINS: corsOrigins().describe("the origins of pages of others that may call; none without it"),
  MAX_WATCHES: count(DEFAULT_MAX_WATCHES).describe("watches of a replica at the same time; more are refused"),
  ...peerTlsSettings(),
  ...serverLimitSettings(),
  LOG_LEVEL: logLevel().describe("the least level of a line in the log"),
};
