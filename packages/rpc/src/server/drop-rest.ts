import type { IncomingMessage } from "node:http";
import type { NodeRequest } from "./received-request.ts";

/** A client that sends its whole message before it reads the reply must get to the reply. */
const MAX_DROPPED_BYTES = 2 * 1024 * 1024;
/** How long the rest of a refused message may take. */
const MAX_DROPPING_MS = 10_000;
/** How long a client has to read the reply, once the rest is too long: closing at once would discard it. */
const LINGER_MS = 1_000;

/**
 * Reads what a refused client still sends over HTTP/1.1, and drops it, so that its connection stays usable; closes the
 * connection when there is more than 2 MiB or it takes longer than 10 s. `endUnreadRequests` does the same for HTTP/2.
 */
export function dropRest(request: NodeRequest): void {
  if ("stream" in request || request.readableEnded || request.destroyed) return;
  let dropped = 0;
  const giveUp = () => {
    settle();
    request.pause();
    closeSoon(request);
  };
  const timer = setTimeout(giveUp, MAX_DROPPING_MS).unref();
  const count = (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > MAX_DROPPED_BYTES) giveUp();
  };
  const settle = () => {
    clearTimeout(timer);
    request.off("data", count).off("end", settle).off("close", settle);
  };
  request.on("data", count).on("end", settle).on("close", settle).on("error", settle);
}

function closeSoon({ socket }: IncomingMessage): void {
  socket.end();
  setTimeout(() => void socket.destroy(), LINGER_MS).unref();
}
