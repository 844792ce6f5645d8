import type { Server, Socket } from "node:net";
import type { ServerLimits } from "./server-limits.ts";

type ConnectionLimits = Pick<ServerLimits, "maxConnections" | "maxConnectionsPerAddress">;

/**
 * Closes a connection beyond the limits immediately, so that no client can take all of them. Counts itself, because
 * `server.maxConnections` is a limit of one listening socket.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const perAddress = new Map<string, number>();
  let total = 0;
  server.prependListener("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    const count = (perAddress.get(address) ?? 0) + 1;
    perAddress.set(address, count);
    total++;
    socket.once("close", () => {
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left === 0) perAddress.delete(address);
      else perAddress.set(address, left);
      total--;
    });
    if (count > limits.maxConnectionsPerAddress || total > limits.maxConnections) socket.destroy();
  });
}
