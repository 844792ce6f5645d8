import type { Socket } from "node:net";
import { readReceived } from "../read-received.ts";
import { NotProcessedError } from "./retry-unprocessed.ts";

/** Any server of HTTP/1.1 replies to it, and it has no effect (RFC 9110, 9.3.7). */
const PROBE = "OPTIONS * HTTP/1.1\r\nHost: peer\r\nContent-Length: 0\r\n\r\n";
const MAX_REPLY_BYTES = 16_384;

/**
 * Calls `proven` once a server has replied on a new connection, or destroys the socket with an error. A load balancer may
 * accept a connection before a replica does, and then close it: a call sent on it might have been processed, and could not
 * be sent again. TLS needs no such probe, because its handshake is one.
 */
export function proveConnection(socket: Socket, proven: () => void): void {
  let received = Buffer.alloc(0);
  const refuse = (why: string) => void socket.destroy(new NotProcessedError(why));
  const end = () => refuse("the connection was closed at once");
  const read = () => {
    received = Buffer.concat([received, readReceived(socket)]);
    const length = replyLength(received);
    if (received.length > MAX_REPLY_BYTES) return refuse("the peer speaks something else than HTTP/1.1");
    if (length === undefined || received.length < length) return;
    socket.off("readable", read).off("end", end);
    if (CLOSES.test(received.toString("latin1"))) refuse("the server was stopping");
    else proven();
  };
  socket.on("readable", read).once("end", end);
  socket.write(PROBE);
}

const CLOSES = /^connection: *close/im;

/** The bytes of a complete reply; undefined while its head is incomplete. */
function replyLength(received: Buffer): number | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [, length = 0] = /^content-length: *(\d+)/im.exec(received.toString("latin1", 0, end)) ?? [];
  return end + 4 + Number(length);
}
