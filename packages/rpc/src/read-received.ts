import type { Socket } from "node:net";

/**
 * Returns everything that a paused socket has received; empty if nothing. Node returns a chunk per call, and emits no
 * `readable` for those that it has already (26.10): a reader that takes one chunk per event waits for a byte that never comes.
 */
export function readReceived(socket: Socket): Buffer {
  const chunks: Buffer[] = [];
  for (let chunk = readChunk(socket); chunk !== null; chunk = readChunk(socket)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const readChunk = (socket: Socket) => socket.read() as Buffer | null;
