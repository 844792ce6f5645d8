import type { Server } from "node:http";

/** From now on an answer ends its connection, so that clients open their next one elsewhere. */
export function leaveHttp1(server: Server): void {
  server.prependListener("request", (_request, response) => {
    response.shouldKeepAlive = false;
  });
}

/** Closes idle connections, now and whenever an answer makes one idle, until `closed`. */
export async function drainHttp1(server: Server, closed: Promise<void>): Promise<void> {
  leaveHttp1(server);
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  server.closeIdleConnections();
  await closed;
  clearInterval(sweep);
}
