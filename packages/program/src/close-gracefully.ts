import type { Server as HttpServer } from "node:http";
import { drainHttp1 } from "./drain-http1.ts";
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
