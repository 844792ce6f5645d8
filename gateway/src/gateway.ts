import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createServiceTransport, drainHttp1, leaveHttp1 } from "@cloud/rpc";
import type { Telemetry } from "@cloud/telemetry";
import { createListener } from "./create-listener.ts";

export interface GatewayConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly workspaceUrl: string;
  readonly environmentUrl: string;
  readonly identityUrl: string;
  /** How long a request may take, in milliseconds; 10,000 where it is absent. */
  readonly requestDeadlineMs?: number;
  readonly telemetry: Telemetry;
}

export interface Gateway {
  readonly url: string;
  readonly port: number;
  /** Not ready from now on, but serves on: to be called while balancers may still send new connections. */
  leave(): void;
  /** Leaves, stops accepting, lets what is in flight finish within 10 seconds, and closes every connection. */
  stop(): Promise<void>;
}

/** Starts the REST API. Needs no service to be up: what is down is answered with 503. Throws if the port is taken. */
export async function startGateway(config: GatewayConfig): Promise<Gateway> {
  const { host, telemetry, requestDeadlineMs = 10_000 } = config;
  const reach = (url: string) => createServiceTransport({ url, deadlineMs: requestDeadlineMs });
  const upstreams = {
    workspace: reach(config.workspaceUrl),
    environment: reach(config.environmentUrl),
    identity: reach(config.identityUrl),
  };
  let leaving = false;
  const isLeaving = () => leaving;
  const listener = createListener({ upstreams, isLeaving, deadlineMs: requestDeadlineMs, telemetry });
  const server = createServer(TIMEOUTS, listener);
  await listen(server, config.port, host);
  const { port } = server.address() as AddressInfo;
  const shownHost = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const leave = () => {
    leaving = true;
    leaveHttp1(server);
  };
  const stop = async () => {
    leaving = true;
    await stopServer(server);
    for (const upstream of Object.values(upstreams)) upstream.close();
  };
  return { url: `http://${shownHost}:${port}`, port, leave, stop };
}

// A client that dribbles its request (slow loris) holds a connection for half a minute at most. Idle connections stay
// open longer than load balancers keep theirs (60 s), so that none sends into a connection that is being closed.
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
};

const GRACE_MS = 10_000;

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const force = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await drainHttp1(server, closed);
  clearTimeout(force);
}
