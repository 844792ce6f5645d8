import http from "node:http";
import http2 from "node:http2";
import net, { type AddressInfo, type Socket } from "node:net";
import type { connectNodeAdapter } from "@connectrpc/connect-node";
import { drainHttp1, leaveHttp1 } from "./drain-http1.ts";
import { endOldSessions } from "./h2c-sessions.ts";
import { readProtocol } from "./read-protocol.ts";

/** What answers both kinds of server. */
export type NodeHandler = ReturnType<typeof connectNodeAdapter>;

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly handler: NodeHandler;
  /** How long an HTTP/2 connection lives, in milliseconds; 5 minutes where it is absent. */
  readonly sessionAgeMs?: number | undefined;
}

export interface Listener {
  readonly url: string;
  readonly port: number;
  /** Serves on, but asks clients of HTTP/1.1 to come back on another connection. */
  leave(): void;
  stop(): Promise<void>;
}

/** How long calls in flight may take once the server stops. */
const DRAIN_MS = 10_000;
/** How long a connection may then stay silent: what its client has sent may be on its way. */
const LAST_FIRST_BYTE_MS = 1_000;

/** HTTP/1.1 and cleartext HTTP/2 on one port, told apart by a connection's first bytes. */
export async function listenOnePort(options: ListenerOptions): Promise<Listener> {
  const http1 = http.createServer({ keepAliveTimeout: 65_000 }, options.handler);
  const h2c = http2.createServer({}, options.handler);
  // Never listens itself; the event makes it keep track of its connections, so that idle ones can be closed.
  http1.emit("listening");
  const sessions = endOldSessions(h2c, options.sessionAgeMs ?? 300_000);
  const sockets = new Set<Socket>();
  const silent = new Set<Socket>();
  const front = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    silent.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      silent.delete(socket);
    });
    readProtocol(socket, (isHttp2) => {
      silent.delete(socket);
      (isHttp2 ? h2c : http1).emit("connection", socket);
    });
  });
  await new Promise<void>((resolve, reject) => {
    front.once("error", reject);
    front.listen(options.port, options.host, resolve);
  });
  const { port } = front.address() as AddressInfo;
  const name = options.host === "0.0.0.0" || options.host === "::" ? "127.0.0.1" : options.host;

  const stop = async () => {
    const closed = new Promise<void>((resolve) => front.close(() => resolve()));
    sessions.close();
    for (const socket of silent) socket.setTimeout(LAST_FIRST_BYTE_MS);
    const force = setTimeout(() => sockets.forEach((socket) => void socket.destroy()), DRAIN_MS);
    await drainHttp1(http1, closed);
    clearTimeout(force);
    http1.close();
  };
  return { port, url: "http://" + name + ":" + String(port), leave: () => leaveHttp1(http1), stop };
}
