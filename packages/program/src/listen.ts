import type { AddressInfo, Server } from "node:net";

export interface Address {
  /** Its host can be connected to from this machine. */
  readonly url: string;
  readonly port: number;
}

/**
 * Connections that the system accepts before the program does. Node's own 511 overflow when 1,000 clients come at once:
 * the system then takes a client for connected, but drops its request, which it sends again 1, 2, 4 and 8 s later. The
 * system has a limit of its own, `net.core.somaxconn`, 4,096 on Linux.
 */
const BACKLOG = 4_096;

/** Starts listening; port 0 lets the system choose. @throws Error if the port is in use */
export async function listen(server: Server, host: string, port: number): Promise<Address> {
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject);
  server.listen({ port, host, backlog: BACKLOG }, listening.resolve);
  await listening.promise;
  server.off("error", listening.reject);
  const address = server.address() as AddressInfo;
  const shownHost = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return { url: `http://${shownHost}:${address.port}`, port: address.port };
}
