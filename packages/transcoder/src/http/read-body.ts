import type { IncomingMessage } from "node:http";
import { TranscodingError } from "../errors/transcoding-error.ts";

/** Thrown when the client disconnects before its request is complete, so no response is possible. */
export class ClientDisconnected extends Error {
  override readonly name = "ClientDisconnected";
}

/** The largest body, in bytes, that is read before `admitLarge` is called. */
export const SMALL_BODY = 16 * 1024;

/**
 * Reads a request body of at most `limit` bytes. Refuses a longer one immediately if Content-Length declares it,
 * otherwise as soon as it has been counted; the rest stays unread in the connection. Waits for `admitLarge` before it
 * reads more than 16 KiB. Throws a TranscodingError of kind body-too-large, ClientDisconnected, or what `admitLarge`
 * throws.
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  admitLarge: () => Promise<void>,
): Promise<Buffer> {
  if (hasNoBody(request)) return NOTHING;
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > limit) throw new TranscodingError("body-too-large");
  const chunks: Buffer[] = [];
  // A body without Content-Length is large once more than 16 KiB have arrived.
  const isComplete = declared <= SMALL_BODY && (await readUpTo(request, SMALL_BODY, chunks));
  if (!isComplete) {
    await admitLarge();
    if (!(await readUpTo(request, limit, chunks))) throw new TranscodingError("body-too-large");
  }
  return Buffer.concat(chunks);
}

/** Without either header there is no body (RFC 9112, 6.3), and no end to wait for. */
function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
}

const NOTHING = Buffer.alloc(0);

/** Reads until the end, or until `chunks` hold more than `limit` bytes. Returns whether the end was reached. */
function readUpTo(request: IncomingMessage, limit: number, chunks: Buffer[]): Promise<boolean> {
  let size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  // Not `for await`: leaving its loop early destroys the connection, and the response with it.
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => () => {
      request.off("data", take).off("end", end).off("error", disconnected).off("close", disconnected);
      act();
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) stop();
    };
    const end = settle(() => resolve(true));
    const disconnected = settle(() => reject(new ClientDisconnected("the client disconnected")));
    const stop = settle(() => {
      request.pause();
      resolve(false);
    });
    if (request.readableEnded) return end();
    if (request.destroyed && !request.complete) return disconnected();
    request.on("data", take).on("end", end).on("error", disconnected).on("close", disconnected);
    request.resume();
  });
}
