import { setTimeout as delay } from "node:timers/promises";
import { causesOf } from "@cloud/telemetry";

/**
 * Milliseconds before each retry. The first is immediate, because the next connection usually reaches another replica.
 * All together stay below 0.2 s, so that an unreachable peer is reported soon.
 */
const PAUSES_MS = [0, 10, 30, 90];

/**
 * Repeats an exchange that no server has processed, whatever the method: it found no connection, or the server was
 * closing the connection and said so. A call that may have been processed fails. `assertOpen` throws once the deadline
 * has passed or the caller has left.
 */
export async function retryUnprocessed<T>(exchange: () => Promise<T>, assertOpen: () => void): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await exchange();
    } catch (error) {
      if (!wasNotProcessed(error)) throw error;
    }
    if (pauseMs > 0) await delay(pauseMs * (0.5 + Math.random()), undefined, { ref: false });
    assertOpen();
  }
  return await exchange();
}

/**
 * The connection ended before the call was sent, or the server closes it and drops what it reads: `408 Request Timeout`
 * (RFC 9110, 15.5.9).
 */
export class NotProcessedError extends Error {}

/** Returns whether any cause shows that the call failed before a server processed it. */
export function wasNotProcessed(error: unknown): boolean {
  return causesOf(error).some((cause) => cause instanceof NotProcessedError || isNeverSent(cause as NodeError));
}

interface NodeError {
  readonly code?: unknown;
  readonly syscall?: unknown;
}

/** No connection was made. */
function isNeverSent({ code, syscall }: NodeError): boolean {
  return code === "ECONNREFUSED" || syscall === "connect" || syscall === "getaddrinfo";
}
