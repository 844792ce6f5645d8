import type { RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface UnsentLimits {
  /** Milliseconds for which a response may wait to be sent. */
  readonly ms: number;
  /** Of all responses of the server that wait to be sent, together. */
  readonly bytes: number;
}

export interface LimitedResponses {
  readonly listener: RequestListener;
  stop(): void;
}

/** Half a minute, as for sending a request; eight of the largest responses. */
const DEFAULT: UnsentLimits = { ms: 30_000, bytes: 128 * 2 ** 20 };

/** How often the responses are looked at. */
const SWEEP_MS = 100;

/**
 * Closes the connection of a client that does not read its response in time; and those that have been reading longest,
 * when all together make the server hold too much. Node has neither limit: a client that requested a page of 6 MB 320
 * times on 40 connections, and read none, made the gateway hold 1 GB for as long as it liked.
 */
export function limitUnsent(listener: RequestListener, limits: UnsentLimits = DEFAULT): LimitedResponses {
  const open = new Set<ServerResponse>();
  /** By when they were first seen to wait, the oldest first. */
  const unsent = new Map<ServerResponse, number>();
  const sweep = () => {
    const now = performance.now();
    for (const response of open) {
      if (response.writableLength === 0) unsent.delete(response);
      else if (!unsent.has(response)) unsent.set(response, now);
    }
    closeSlowest(unsent, now - limits.ms, limits.bytes);
  };
  const timer = setInterval(sweep, SWEEP_MS).unref();
  return {
    listener: (request, response) => {
      open.add(response);
      response.once("close", () => {
        open.delete(response);
        unsent.delete(response);
      });
      listener(request, response);
    },
    stop: () => clearInterval(timer),
  };
}

/** Closes connections that wait since before `limit`, and then as many as leave the others `bytes` at most. */
function closeSlowest(unsent: ReadonlyMap<ServerResponse, number>, limit: number, bytes: number): void {
  const connections = new Map<Socket, { readonly since: number; held: number }>();
  let held = 0;
  for (const [{ req, writableLength }, since] of unsent) {
    const connection = connections.get(req.socket) ?? { since, held: 0 };
    connection.held += writableLength;
    held += writableLength;
    connections.set(req.socket, connection);
  }
  for (const [socket, { since, held: own }] of connections) {
    if (held <= bytes && since >= limit) return;
    held -= own;
    socket.destroy();
  }
}
