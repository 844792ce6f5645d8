import type { IncomingMessage } from "node:http";
import { TranscodingError } from "./transcoding-error.ts";

/** The client went away before its request was complete: nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/**
 * Reads a request body of at most `limit` bytes. A longer one is refused at once where Content-Length tells, else as
 * soon as it has been counted; the rest is left unread in the connection.
 * Throws a TranscodingError of kind body-too-large, or ClientGone.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > limit) throw new TranscodingError("body-too-large");
  const chunks: Buffer[] = [];
  let size = 0;
  // Not `for await`: leaving its loop early destroys the connection, and with it the answer.
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => () => {
      request.off("data", take).off("end", end).off("error", gone).off("close", gone);
      act();
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) tooLarge();
    };
    const end = settle(() => resolve(Buffer.concat(chunks, size)));
    const gone = settle(() => reject(new ClientGone("the client went away")));
    const tooLarge = settle(() => {
      request.pause();
      reject(new TranscodingError("body-too-large"));
    });
    if (request.destroyed && !request.complete) return gone();
    request.on("data", take).on("end", end).on("error", gone).on("close", gone);
  });
}
