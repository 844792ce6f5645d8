import { Server as HttpServer } from "node:http";
import type { Http2Server } from "node:http2";
import { type AddressInfo, createServer, isIPv6, type ListenOptions, type Server } from "node:net";
import { setImmediate as endOfTurn } from "node:timers/promises";

export interface Address {
  /** A URL whose host can be reached from this machine. */
  readonly url: string;
  readonly port: number;
}

export interface Listening extends Address {
  /** Stops accepting connections. Resolves when the last one is closed. */
  close(): Promise<void>;
}

/**
 * Starts listening; port 0 lets the system choose. The host `::` means all addresses of IPv6 and IPv4, and `localhost`
 * the two by which a machine reaches itself; IPv4 only, if the system has no IPv6. With one socket, connections are
 * accepted in the order in which they were opened.
 *
 * @throws Error if the port is in use
 */
export async function listen(server: Server, host: string, port: number, sockets = SOCKETS): Promise<Listening> {
  const [own, ...others] = host === "localhost" ? LOOPBACKS : [host];
  const at = (one: string | undefined): ListenOptions => ({
    ...(one !== "::" && { host: one }), // without a host, Node tries `::` and then `0.0.0.0`
    reusePort: sockets > 1,
  });
  // Other programs of the same user could share the port as well.
  if (sockets > 1 && port !== 0) await requireUnused({ ...at(own), port });
  await open(server, { ...at(own), port });
  const address = server.address() as AddressInfo;
  const further = Array.from({ length: sockets - 1 }, () => furtherSocket(server));
  await Promise.all(further.map((one) => open(one, { ...at(own), port: address.port })));
  for (const other of others) {
    const socket = furtherSocket(server);
    if (await isOpened(socket, { ...at(other), reusePort: false, port: address.port })) further.push(socket);
  }
  const close = async () => void (await Promise.all([server, ...further].map(closed)));
  return { url: `http://${shown(host)}:${address.port}`, port: address.port, close };
}

/**
 * Sockets that listen on the port of a server with many clients. Node accepts one connection per socket in a turn of
 * its event loop, and a turn of a program with 1,000 busy connections takes 15 ms: with one socket, new clients waited
 * for up to 9 s. Linux distributes connections among the sockets; other systems cannot, and have one.
 */
const SOCKETS = process.platform === "linux" ? 64 : 1;

/** The addresses of `localhost`: a client may use either. */
const LOOPBACKS = ["127.0.0.1", "::1"];

interface Closing {
  /** The server whose idle connections are closed. */
  readonly http1: HttpServer;
  /** Closes idle connections; by default without notifying the client. */
  readonly closeIdle?: () => void;
  /** Closes every connection when the time is up. */
  readonly force: () => void;
}

/**
 * Stops accepting connections, and closes idle ones, immediately and after each response. Resolves when the last one is
 * closed, at most 10 s later.
 *
 * A connection whose request has arrived counts as idle until the program reads it. So a whole turn of the event loop
 * comes first, and a sweep waits for the end of its turn: a timer fires before its turn reads.
 */
export async function closeGracefully(listening: Listening, closing: Closing): Promise<void> {
  const { http1, force, closeIdle = () => http1.closeIdleConnections() } = closing;
  drainHttp1(http1);
  await endOfTurn();
  await endOfTurn();
  const timer = setTimeout(force, DRAIN_MS);
  const closed = listening.close(); // also closes the idle connections of `http1`, if that is what listens
  const sweep = setInterval(() => setImmediate(closeIdle), 50);
  closeIdle();
  await closed;
  clearInterval(sweep);
  clearTimeout(timer);
}

/** Milliseconds that requests in flight may take after the server stops. */
const DRAIN_MS = 10_000;

/** Closes each connection after its next response, so that clients open the next one elsewhere. */
export function drainHttp1(server: HttpServer): void {
  server.prependListener("request", (_request, response) => {
    response.shouldKeepAlive = false;
  });
}

/**
 * Serves a request with an unknown expectation like any other, as RFC 9110 (10.1.1) allows. Node's own reply is a 417
 * without a body, which no document lists.
 */
export function serveExpectations(server: HttpServer | Http2Server): void {
  server.on("checkExpectation", (request, response) => void server.emit("request", request, response));
}

function shown(host: string): string {
  if (host === "0.0.0.0" || host === "::" || host === "localhost") return "127.0.0.1";
  return isIPv6(host) ? `[${host}]` : host;
}

async function requireUnused(options: ListenOptions): Promise<void> {
  const probe = createServer();
  await open(probe, { ...options, reusePort: false });
  await closed(probe);
}

/** Creates a socket that passes its connections on to a server, which handles them as its own. */
function furtherSocket(server: Server): Server {
  const allowHalfOpen = server instanceof HttpServer; // as Node opens its own connections of either kind
  return createServer({ allowHalfOpen, noDelay: true }, (socket) => server.emit("connection", socket));
}

async function open(server: Server, options: ListenOptions): Promise<void> {
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject);
  server.listen({ ...options, backlog: BACKLOG }, listening.resolve);
  await listening.promise;
  server.off("error", listening.reject);
}

/**
 * Connections that the system accepts before the program does. Node's own 511 overflow when 1,000 clients come at once:
 * the system then takes a client for connected, but drops its request, which it sends again 1, 2, 4 and 8 s later. The
 * system has a limit of its own, `net.core.somaxconn`, 4,096 on Linux.
 */
const BACKLOG = 4_096;

/** Returns false if the machine has no such address. */
async function isOpened(server: Server, options: ListenOptions): Promise<boolean> {
  try {
    await open(server, options);
    return true;
  } catch (error) {
    if (NO_ADDRESS.has((error as NodeJS.ErrnoException).code)) return false;
    throw error;
  }
}

const NO_ADDRESS: ReadonlySet<string | undefined> = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));
