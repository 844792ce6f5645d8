import http from "node:http";
import http2 from "node:http2";
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
import { endStuckStreams } from "./end-stuck-streams.ts";
import { endUnreadRequests } from "./end-unread-requests.ts";
import { H2C_LIMITS } from "./h2c-limits.ts";
import { endOldSessions } from "./h2c-sessions.ts";
import { joinUnread } from "./join-unread.ts";
import { keepConnections } from "./keep-connections.ts";
import { limitReflection } from "./limit-reflection.ts";
import { paceConnections } from "./pace-connections.ts";
import { type ProtocolReading, readProtocol } from "./read-protocol.ts";
import { reportProgress } from "./report-progress.ts";
import { slowOffenders } from "./slow-offenders.ts";
import { createTlsHandshakes, type ReportConnection } from "./tls-handshakes.ts";
import type { Turns } from "./turns.ts";

/** Handles requests of both kinds of server. */
export type NodeHandler = ReturnType<typeof connectNodeAdapter>;

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly handler: NodeHandler;
  readonly turns: Turns;
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

/** How long the headers of a request, the preface and the settings of HTTP/2, or a TLS handshake may take. */
const HEADERS_MS = 10_000;
/** How long a whole request may take, its body included. */
const REQUEST_MS = 30_000;
/** How long a client may take to read a complete reply. */
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

/**
 * Of one address. An HTTP/2 connection with its first request costs 0.8 ms: 500 of them at once took the processor for
 * 0.2 s, and the 99th percentile of all other callers from 12 to 87 ms. With 32 and 400 it still doubled on a slow machine.
 */
const CONNECTIONS = { atOnce: 16, perSecond: 200 };
/**
 * Of one address, by HTTP/2: what its client has sent with the preface is read as a whole. 16 that each opened 250 streams
 * took the 99th percentile of all other callers from 16 to 155 ms, 4 with headers that never end to 130 ms.
 */
const HTTP2_CONNECTIONS = { atOnce: 1, perSecond: 20 };

const HTTP1_LIMITS = {
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: MAX_HEADER_SIZE,
};

/** Serves HTTP/1.1 and HTTP/2 on one port, distinguished by a connection's first bytes, or with TLS by ALPN. */
export async function listenOnePort(options: ListenerOptions): Promise<Listener> {
  const ageMs = options.sessionAgeMs ?? 300_000;
  const kept = keepConnections(ageMs);
  const progress = reportProgress(options.turns.begin(options.handler));
  const unsent = limitUnsent(progress.handler, { ms: REPLY_MS, bytes: MAX_UNSENT_BYTES });
  const http1 = http.createServer(HTTP1_LIMITS);
  http1.on("connection", kept.add).on("request", kept.serve(serveInTurn(http1, unsent.listener)));
  serveExpectations(http1);
  const h2c = http2.createServer(H2C_LIMITS, limitReflection(options.turns.begin(endUnreadRequests(options.handler))));
  serveExpectations(h2c);
  const streams = endStuckStreams(h2c, { requestMs: REQUEST_MS, replyMs: REPLY_MS });
  // This server never listens itself; the event makes it track its connections, so that idle ones can be closed.
  http1.emit("listening");
  const sessions = endOldSessions(h2c, { ageMs, settingsMs: HEADERS_MS });
  const begin = slowOffenders(h2c);
  const sockets = new Set<Socket>();
  const unknown = new Map<Socket, ProtocolReading>();
  const recognize = recognizerOf(options);
  const pace = paceConnections(CONNECTIONS);
  const paceHttp2 = paceConnections(HTTP2_CONNECTIONS);
  let isStopping = false;
  const front = net.createServer({ noDelay: true }, (socket) => {
    if (socket.destroyed) return;
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      unknown.delete(socket);
    });
    pace(socket, () => {
      const reading = recognize(socket, (isHttp2, readable) => {
        unknown.delete(socket);
        const beginHttp2 = () => begin(readable, () => void h2c.emit("connection", joinUnread(readable)));
        if (isHttp2) paceHttp2(readable, beginHttp2);
        else http1.emit("connection", readable);
      });
      unknown.set(socket, reading);
      if (isStopping) reading.limit(LAST_FIRST_BYTE_MS);
    });
  });
  limitConnections(front, options.limits);
  const listening = await listen(front, options.host, options.port);
  const stop = async () => {
    isStopping = true;
    sessions.close();
    for (const reading of unknown.values()) reading.limit(LAST_FIRST_BYTE_MS);
    const force = () => sockets.forEach((socket) => void socket.destroy());
    await closeGracefully(listening, { http1, closeIdle: kept.leaveIdle, force });
    http1.close();
    streams.stop();
    progress.stop();
    unsent.stop();
  };
  const url = options.tls === undefined ? listening.url : listening.url.replace(/^http:/, "https:");
  return { url, port: listening.port, leave: () => leaveHttp1(http1), stop };
}

/** Returns a function that finds out which protocol a new connection speaks. */
function recognizerOf({
  tls,
  telemetry,
}: ListenerOptions): (socket: Socket, report: ReportConnection) => ProtocolReading {
  if (tls !== undefined) return createTlsHandshakes({ files: tls, limitMs: HEADERS_MS, telemetry });
  return (socket, report) => readProtocol(socket, HEADERS_MS, (isHttp2) => report(isHttp2, socket));
}
