import { TranscodingError } from "../errors/transcoding-error.ts";
import type { HttpRequest } from "./messages.ts";

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
export async function readBody(request: HttpRequest, limit: number, admitLarge: () => Promise<void>): Promise<Buffer> {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > limit) throw new TranscodingError("body-too-large");
  const chunks: Buffer[] = [];
  if (declared > SMALL_BODY) await admitLarge();
  // A body without Content-Length is large once more than 16 KiB have arrived.
  const isKnown = declared > SMALL_BODY;
  const isComplete = await readUpTo(request, isKnown ? limit : Math.min(SMALL_BODY, limit), chunks);
  if (isComplete) return join(chunks);
  if (isKnown || limit <= SMALL_BODY) throw new TranscodingError("body-too-large");
  await admitLarge();
  if (!(await readUpTo(request, limit, chunks))) throw new TranscodingError("body-too-large");
  return join(chunks);
}

const NOTHING = Buffer.alloc(0);

function join(chunks: readonly Buffer[]): Buffer {
  const [first = NOTHING] = chunks;
  return chunks.length <= 1 ? first : Buffer.concat(chunks);
}

/** Reads until the end, or until `chunks` hold more than `limit` bytes. Returns whether the end was reached. */
function readUpTo(request: HttpRequest, limit: number, chunks: Buffer[]): Promise<boolean> {
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
    const end = settle(() => resolve(size <= limit));
    const disconnected = settle(() => reject(new ClientDisconnected("the client disconnected")));
    const stop = settle(() => {
      request.pause();
      resolve(false);
    });
    if (size > limit) return stop();
    if (request.readableEnded) return end();
    if (request.destroyed && !request.complete) return disconnected();
    request.on("data", take).on("end", end).on("error", disconnected).on("close", disconnected);
    request.resume();
  });
}
