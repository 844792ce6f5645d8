import type { Server } from "node:http";

/** From now on closes each connection after its response, so that clients open the next one elsewhere. */
export function leaveHttp1(server: Server): void {
  server.prependListener("request", (_request, response) => {
    response.shouldKeepAlive = false;
  });
}

/** Closes idle connections by `closeIdle`, immediately and after each response, until `closed` resolves. */
export async function drainHttp1(server: Server, closed: Promise<void>, closeIdle: () => void): Promise<void> {
  leaveHttp1(server);
  const sweep = setInterval(closeIdle, 50);
  closeIdle();
  await closed;
  clearInterval(sweep);
}
