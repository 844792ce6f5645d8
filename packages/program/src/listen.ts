import type { AddressInfo, Server } from "node:net";

export interface Address {
  /** Its host can be connected to from this machine. */
  readonly url: string;
  readonly port: number;
}

/** Starts listening; port 0 lets the system choose. @throws Error if the port is in use */
export async function listen(server: Server, host: string, port: number): Promise<Address> {
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject);
  server.listen(port, host, listening.resolve);
  await listening.promise;
  server.off("error", listening.reject);
  const address = server.address() as AddressInfo;
  const shownHost = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return { url: `http://${shownHost}:${address.port}`, port: address.port };
}
