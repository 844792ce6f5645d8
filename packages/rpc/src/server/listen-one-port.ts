import net, { type Socket } from "node:net";
import { type Address, closeGracefully, drainHttp1, listen, serveExpectations } from "@cloud/runtime";
import { HTTP1_TIMES, limitConnections, type ServerLimits } from "@cloud/runtime/limits";
import type { Telemetry } from "@cloud/runtime/telemetry";
import { readReceived } from "../client/connect-in-time.ts";
import { createTlsServer, type TlsFiles } from "../tls.ts";
import { createHttp1Server, type NodeHandler } from "./http1-server.ts";
import { createHttp2Server } from "./http2-server.ts";

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
  beginDrain(): void;
  stop(): Promise<void>;
}

/** Milliseconds that the headers of a request, the preface of HTTP/2, or a TLS handshake may take. */
const HEADERS_MS = HTTP1_TIMES.headersTimeout;
/** Milliseconds for which a new connection may stay silent when the server stops: its first bytes may be in transit. */
const LAST_FIRST_BYTE_MS = 1_000;

/** Serves HTTP/1.1 and HTTP/2 on one port, distinguished by a connection's first bytes, or with TLS by ALPN. */
export async function listenOnePort(options: ListenerOptions): Promise<Listener> {
  const { handler, host, port, limits, tls, telemetry, sessionAgeMs = 300_000 } = options;
  const http1 = createHttp1Server(handler, sessionAgeMs);
  const http2 = createHttp2Server(handler, sessionAgeMs);
  for (const server of [http1.server, http2]) serveExpectations(server);
  const sockets = new Set<Socket>();
  /**
   * Sockets whose protocol is not known yet, by client address: a TLS socket does not name the socket that it decrypts.
   */
  const undecided = new Map<string, Socket>();
  let isStopping = false;
  const serve = (isHttp2: boolean, socket: Socket) => {
    undecided.delete(addressOf(socket));
    (isHttp2 ? http2 : http1.server).emit("connection", socket);
    if (isStopping) http2.close(); // also the session that was just added
  };
  const front =
    tls === undefined // protects: encrypted-port
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
    await closeGracefully(listening, { http1: http1.server, closeIdle: http1.closeIdle, force });
    clearTimeout(silent);
    http1.stop();
  };
  const url = tls === undefined ? listening.url : listening.url.replace(/^http:/, "https:");
  return { url, port: listening.port, beginDrain: () => drainHttp1(http1.server), stop };
}

/** Identifies an open connection to one port. */
function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** The first bytes of every HTTP/2 connection; no HTTP/1.1 request starts with them (RFC 9113, 3.4). */
const HTTP2_PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/**
 * Reads a connection's first bytes until they show which protocol the client uses, puts them back, and reports it.
 * Drops the connection if they do not show it within `limitMs`. The bytes stay in a buffer until then: put back one by
 * one, they would wake the reader at every tick, and one byte that is never followed by another would block the
 * process.
 *
 * They are put back as one chunk. Node passes them to a new HTTP/2 session chunk by chunk. If the session ends at one
 * chunk, Node throws at the next (26.10), which ends the process.
 */
function readProtocol(socket: Socket, limitMs: number, report: (isHttp2: boolean) => void): void {
  let head = Buffer.alloc(0);
  const drop = () => void socket.destroy();
  const timer = setTimeout(drop, limitMs);
  const finish = () => {
    clearTimeout(timer);
    socket.off("readable", read).off("error", drop).off("close", finish);
  };
  const read = () => {
    head = Buffer.concat([head, readReceived(socket)]);
    if (head.length === 0) return;
    const isHttp2 = startsLikeHttp2(head);
    if (isHttp2 && head.length < HTTP2_PREFACE.length) return; // protects: first-bytes
    finish();
    socket.unshift(head); // protects: one-chunk
    report(isHttp2);
  };
  socket.on("readable", read).on("error", drop).on("close", finish);
}

function startsLikeHttp2(head: Buffer): boolean {
  const length = Math.min(head.length, HTTP2_PREFACE.length);
  return HTTP2_PREFACE.subarray(0, length).equals(head.subarray(0, length));
}
