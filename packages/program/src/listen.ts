import { Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, isIPv6, type ListenOptions, type Server } from "node:net";

export interface Address {
  /** Its host can be connected to from this machine. */
  readonly url: string;
  readonly port: number;
}

export interface Listening extends Address {
  /** Stops accepting connections. Resolves when the last one is closed. */
  close(): Promise<void>;
}

/**
 * Connections that the system accepts before the program does. Node's own 511 overflow when 1,000 clients come at once:
 * the system then takes a client for connected, but drops its request, which it sends again 1, 2, 4 and 8 s later. The
 * system has a limit of its own, `net.core.somaxconn`, 4,096 on Linux.
 */
const BACKLOG = 4_096;

/**
 * Sockets that listen on the port of a server with many clients. Node accepts one connection per socket in a turn of its event loop, and a turn
 * of a program with 1,000 busy connections takes 15 ms: with one socket, new clients waited for up to 9 s. Linux
 * distributes connections among the sockets; other systems cannot, and have one.
 */
const SOCKETS = process.platform === "linux" ? 64 : 1;

/**
 * Starts listening; port 0 lets the system choose. The host `::` is all addresses of IPv6 and IPv4; of IPv4 only, where the
 * system has no IPv6. With one socket, connections are accepted in the order in which they were opened.
 *
 * @throws Error if the port is in use
 */
export async function listen(server: Server, host: string, port: number, sockets = SOCKETS): Promise<Listening> {
  // Without a host, Node tries `::` and then `0.0.0.0`.
  const options = { ...(host !== "::" && { host }), port, reusePort: sockets > 1 };
  // Sockets that share a port also share it with those of other programs of the same user.
  if (options.reusePort && port !== 0) await requireUnused(options);
  await open(server, options);
  const address = server.address() as AddressInfo;
  const further = Array.from({ length: sockets - 1 }, () => furtherSocket(server));
  await Promise.all(further.map((one) => open(one, { ...options, port: address.port })));
  const close = async () => void (await Promise.all([server, ...further].map(closed)));
  return { url: `http://${shown(host)}:${address.port}`, port: address.port, close };
}

function shown(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return isIPv6(host) ? `[${host}]` : host;
}

async function requireUnused(options: ListenOptions): Promise<void> {
  const probe = createServer();
  await open(probe, { ...options, reusePort: false });
  await closed(probe);
}

/** Passes its connections on to a server, which handles them as its own. */
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

const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));
