import type { IncomingMessage } from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";

/**
 * Reads a body of `length` bytes, which Node does not exceed. @throws ConnectError ABORTED if the connection ends before
 */
export function readMessage(request: IncomingMessage, length: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    const complete = () => {
      request.off("error", leave).off("close", leave);
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length));
    };
    const leave = () => reject(new ConnectError("the caller left while its message was read", Code.Aborted));
    request.once("end", complete).once("error", leave).once("close", leave);
  });
}
