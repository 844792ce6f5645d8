import type { Server as HttpServer, Server } from "node:http";
import type { Listening } from "./listen.ts";

/** How long requests in flight may take after the server stops. */
const DRAIN_MS = 10_000;

export interface Closing {
  /** The server whose idle connections are closed. */
  readonly http1: HttpServer;
  /** Closes them; without a word if absent. */
  readonly closeIdle?: () => void;
  /** Closes every connection when the time is up. */
  readonly force: () => void;
}

/** Stops accepting connections. Resolves when the last one is closed, at most 10 s later. */
export async function closeGracefully(listening: Listening, closing: Closing): Promise<void> {
  const { http1, force, closeIdle = () => http1.closeIdleConnections() } = closing;
  const timer = setTimeout(force, DRAIN_MS);
  await drainHttp1(http1, listening.close(), closeIdle);
  clearTimeout(timer);
}

/** From now on closes each connection after its response, so that clients open the next one elsewhere. */
export function leaveHttp1(server: Server): void {
  server.prependListener("request", (_request, response) => {
    response.shouldKeepAlive = false;
  });
}

/** Closes idle connections by `closeIdle`, immediately and after each response, until `closed` resolves. */
async function drainHttp1(server: Server, closed: Promise<void>, closeIdle: () => void): Promise<void> {
  leaveHttp1(server);
  const sweep = setInterval(closeIdle, 50);
  closeIdle();
  await closed;
  clearInterval(sweep);
}
