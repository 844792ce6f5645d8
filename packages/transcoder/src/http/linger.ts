import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpResponse } from "./http-response.ts";
import { SMALL_BODY } from "./read-body.ts";

/** Eight of the largest bodies: a client may send its body completely before it reads the response. */
const LINGER_BYTES = 8 * 2 ** 20;
/** Enough to send such a body at 1 Mbit/s; short enough that no client can hold many connections with it. */
const LINGER_MS = 10_000;
/** Bytes of a body that are read in its turn: what Node reads at once, and may pass on in parts. */
const TURN_BYTES = 64 * 2 ** 10;
/**
 * Milliseconds between two turns, of all refused bodies together: 13 MB/s. Read as fast as they came, eight clients that
 * sent 1 MB again and again made the process read 60 MB/s, and the 99th percentile of all other callers rose from 13 to
 * 52 ms.
 */
const APART_MS = 5;

/** Returns whether so much of a body is unread that Node would not read the rest of it, and close the connection. */
export function isLargeUnread({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > SMALL_BODY);
}

/**
 * Sends the response, whose head is written, completely; reads and drops what the client still sends, for a while; and
 * only then closes the connection. If a server closes while the client is still sending, the client's system drops the
 * response (RST).
 */
export function lingerThenEnd(
  request: IncomingMessage,
  response: ServerResponse,
  { body, encoding }: HttpResponse,
): void {
  response.flushHeaders();
  if (body !== undefined && request.method !== "HEAD") response.write(body, encoding ?? "utf8");
  let dropped = 0;
  let ofTurn = 0;
  const end = () => {
    clearTimeout(timer);
    request.off("data", drop);
    response.end();
  };
  const drop = (chunk: Buffer) => {
    dropped += chunk.length;
    ofTurn += chunk.length;
    if (dropped > LINGER_BYTES) return end();
    if (ofTurn < TURN_BYTES) return;
    ofTurn = 0;
    request.pause();
    inTurn(() => void request.resume());
  };
  const timer = setTimeout(end, LINGER_MS).unref();
  request.on("data", drop).once("end", end).once("close", end).once("error", end).resume();
}

const turns: (() => void)[] = [];
let pace: NodeJS.Timeout | undefined;

/** Calls `act` when 5 ms have passed since the previous turn, in the order of the calls. */
function inTurn(act: () => void): void {
  turns.push(act);
  pace ??= setInterval(() => {
    const next = turns.shift();
    if (next !== undefined) return next();
    clearInterval(pace);
    pace = undefined;
  }, APART_MS).unref();
}
