import type { Socket } from "node:net";
import { readReceived } from "../read-received.ts";

/**
 * Joins what was read of a connection, but not used yet, into one chunk. Node passes it to a new HTTP/2 session chunk by
 * chunk, and throws at the next one when the session has ended at one before it (26.10). That ends the process: a flood
 * of watches, whose connections waited for their turn, stopped the workspace service.
 */
export function joinUnread(socket: Socket): Socket {
  const unread = readReceived(socket);
  if (unread.length > 0) socket.unshift(unread);
  return socket;
}
