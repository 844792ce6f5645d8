import http from "node:http";
import http2, { type ServerHttp2Session } from "node:http2";
import net, { type AddressInfo, type Socket } from "node:net";
import type { connectNodeAdapter } from "@connectrpc/connect-node";

/** What answers both kinds of server. */
export type NodeHandler = ReturnType<typeof connectNodeAdapter>;

export interface Listener {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** How long a connection may stay silent before its protocol is known. */
const FIRST_BYTE_MS = 10_000;
/** How long calls in flight may take once the server stops. */
const DRAIN_MS = 10_000;
/** The HTTP/2 preface is `PRI * HTTP/2.0…`; no HTTP/1.1 method starts like it (RFC 9113, 3.4). */
const HTTP2_PREFACE = Buffer.from("PRI");

/** HTTP/1.1 and cleartext HTTP/2 on one port, told apart by a connection's first bytes. */
export async function listenOnePort(options: {
  readonly host: string;
  readonly port: number;
  readonly handler: NodeHandler;
}): Promise<Listener> {
  const http1 = http.createServer({ keepAliveTimeout: 65_000 }, options.handler);
  const h2c = http2.createServer({}, options.handler);
  // Never listens itself; the event makes it keep track of its connections, so that idle ones can be closed.
  http1.emit("listening");
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<Socket>();
  h2c.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    session.on("error", () => session.destroy());
  });
  const front = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    handOver(socket, http1, h2c);
  });
  await new Promise<void>((resolve, reject) => {
    front.once("error", reject);
    front.listen(options.port, options.host, resolve);
  });
  const { port } = front.address() as AddressInfo;
  const name = options.host === "0.0.0.0" || options.host === "::" ? "127.0.0.1" : options.host;
  return { port, url: "http://" + name + ":" + String(port), stop: () => drain(front, http1, sessions, sockets) };
}

/** Reads the first bytes, puts them back, and gives the socket to the server that speaks the protocol. */
function handOver(socket: Socket, http1: http.Server, h2c: http2.Http2Server): void {
  const give = () => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) {
      return;
    }
    if (chunk.length < HTTP2_PREFACE.length && HTTP2_PREFACE.subarray(0, chunk.length).equals(chunk)) {
      // Not enough to tell: wait for more.
      socket.unshift(chunk);
      socket.once("readable", give);
      return;
    }
    socket.removeListener("error", abandon);
    socket.setTimeout(0);
    socket.removeListener("timeout", abandon);
    socket.unshift(chunk);
    const isHttp2 = chunk.subarray(0, HTTP2_PREFACE.length).equals(HTTP2_PREFACE);
    (isHttp2 ? h2c : http1).emit("connection", socket);
  };
  const abandon = () => void socket.destroy();
  socket.once("error", abandon);
  socket.setTimeout(FIRST_BYTE_MS, abandon);
  socket.once("readable", give);
}

async function drain(
  front: net.Server,
  http1: http.Server,
  sessions: ReadonlySet<ServerHttp2Session>,
  sockets: ReadonlySet<Socket>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => front.close(() => resolve()));
  for (const session of sessions) {
    session.close();
  }
  // From now on an answer closes its connection; idle ones go at once.
  http1.keepAliveTimeout = 1;
  http1.closeIdleConnections();
  const force = setTimeout(() => sockets.forEach((socket) => void socket.destroy()), DRAIN_MS);
  const idle = setInterval(() => http1.closeIdleConnections(), 50);
  await closed;
  clearTimeout(force);
  clearInterval(idle);
  http1.close();
}
