import http from "node:http";
import net, { type Socket } from "node:net";
import {
  type Address,
  closeGracefully,
  leaveHttp1,
  limitConnections,
  limitUnsent,
  listen,
  type ServerLimits,
  serveExpectations,
  serveInTurn,
} from "@cloud/program";
import type { Telemetry } from "@cloud/telemetry";
import type { connectNodeAdapter } from "@connectrpc/connect-node";
import type { TlsFiles } from "../tls/tls-files.ts";
import { createHttp2Server } from "./http2-server.ts";
import { keepConnections } from "./keep-connections.ts";
import { readProtocol } from "./read-protocol.ts";
import { createTlsServer } from "./tls-server.ts";

/** Handles requests of both kinds of server. */
export type NodeHandler = ReturnType<typeof connectNodeAdapter>;

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly handler: NodeHandler;
  /** Maximum age of a connection in milliseconds; 5 minutes if absent. */
  readonly sessionAgeMs?: number | undefined;
  readonly limits: ServerLimits;
  /** Speaks TLS with these files; cleartext if absent. */
  readonly tls?: TlsFiles | undefined;
  readonly telemetry: Telemetry;
}

export interface Listener extends Address {
  /** Keeps serving, but asks HTTP/1.1 clients to reconnect. */
  leave(): void;
  stop(): Promise<void>;
}

/** How long the headers of a request, the preface of HTTP/2, or a TLS handshake may take. */
const HEADERS_MS = 10_000;
/** How long a whole request over HTTP/1.1 may take, its body included. */
const REQUEST_MS = 30_000;
/** How long a client may take to read a complete reply over HTTP/1.1. */
const REPLY_MS = 30_000;
/** Of all replies over HTTP/1.1 that wait to be sent, together: eight of the largest. */
const MAX_UNSENT_BYTES = 128 * 2 ** 20;
/**
 * Bytes of the headers of an HTTP/1.1 request: 16 KiB as at the gateway, and 4 for those that it adds to the ones that it
 * forwards. Without them, a client that used its 16 KiB for a `tracestate` was returned an internal error.
 */
const MAX_HEADER_SIZE = 20_480;
/** How long a connection may stay silent when the server stops: its client's first bytes may still be in transit. */
const LAST_FIRST_BYTE_MS = 1_000;

const HTTP1_LIMITS = {
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: MAX_HEADER_SIZE,
};

/** Serves HTTP/1.1 and HTTP/2 on one port, distinguished by a connection's first bytes, or with TLS by ALPN. */
export async function listenOnePort(options: ListenerOptions): Promise<Listener> {
  const { handler, host, port, limits, tls, telemetry, sessionAgeMs = 300_000 } = options;
  const kept = keepConnections(sessionAgeMs);
  const unsent = limitUnsent(handler, { ms: REPLY_MS, bytes: MAX_UNSENT_BYTES });
  const http1 = http.createServer(HTTP1_LIMITS);
  http1.on("connection", kept.add).on("request", kept.serve(serveInTurn(http1, unsent.listener)));
  // This server never listens itself; the event makes it track its connections, so that idle ones can be closed.
  http1.emit("listening");
  const http2 = createHttp2Server(handler, sessionAgeMs);
  for (const server of [http1, http2]) serveExpectations(server);
  const sockets = new Set<Socket>();
  /** Those whose protocol is not known yet, by their clients' addresses: a TLS socket does not name the one it decrypts. */
  const undecided = new Map<string, Socket>();
  let isStopping = false;
  const serve = (isHttp2: boolean, socket: Socket) => {
    undecided.delete(addressOf(socket));
    (isHttp2 ? http2 : http1).emit("connection", socket);
    if (isStopping) http2.close(); // the new session, too
  };
  const front =
    tls === undefined
      ? net.createServer({ noDelay: true }, (socket) =>
          readProtocol(socket, HEADERS_MS, (isHttp2) => serve(isHttp2, socket)),
        )
      : createTlsServer(tls, HEADERS_MS, telemetry, (socket) => serve(socket.alpnProtocol === "h2", socket));
  front.prependListener("connection", (socket: Socket) => {
    const address = addressOf(socket);
    sockets.add(socket);
    undecided.set(address, socket);
    socket.once("close", () => {
      sockets.delete(socket);
      undecided.delete(address);
    });
  });
  limitConnections(front, limits);
  const listening = await listen(front, host, port);
  const stop = async () => {
    isStopping = true;
    http2.close();
    const silent = setTimeout(() => undecided.forEach((socket) => void socket.destroy()), LAST_FIRST_BYTE_MS);
    const force = () => sockets.forEach((socket) => void socket.destroy());
    await closeGracefully(listening, { http1, closeIdle: kept.leaveIdle, force });
    clearTimeout(silent);
    http1.close();
    unsent.stop();
  };
  const url = tls === undefined ? listening.url : listening.url.replace(/^http:/, "https:");
  return { url, port: listening.port, leave: () => leaveHttp1(http1), stop };
}

/** Identifies an open connection to one port. */
function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
