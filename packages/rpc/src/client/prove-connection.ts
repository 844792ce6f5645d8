import type { Socket } from "node:net";
import { NotProcessedError } from "./retry-unprocessed.ts";

/** Any server of HTTP/1.1 answers it, and it asks for nothing (RFC 9110, 9.3.7). */
const QUESTION = "OPTIONS * HTTP/1.1\r\nHost: peer\r\nContent-Length: 0\r\n\r\n";
const MAX_ANSWER_BYTES = 16_384;

/**
 * Calls `proven` once a server has answered on a new connection, or destroys the socket with an error. A load balancer
 * that forwards connections accepts them before it knows whether a replica does: a call sent on one that it then closes
 * might have been processed, and could not be sent again. TLS needs no such question, its handshake is one.
 */
export function proveConnection(socket: Socket, proven: () => void): void {
  let received = Buffer.alloc(0);
  const refuse = (why: string) => void socket.destroy(new NotProcessedError(why));
  const end = () => refuse("the connection was closed at once");
  const read = () => {
    const chunk = socket.read() as Buffer | null;
    if (chunk !== null) received = Buffer.concat([received, chunk]);
    const length = answerLength(received);
    if (received.length > MAX_ANSWER_BYTES) return refuse("the peer speaks something else than HTTP/1.1");
    if (length === undefined || received.length < length) return;
    socket.off("readable", read).off("end", end);
    if (CLOSES.test(received.toString("latin1"))) refuse("the server was stopping");
    else proven();
  };
  socket.on("readable", read).once("end", end);
  socket.write(QUESTION);
}

const CLOSES = /^connection: *close/im;

/** The bytes of a complete answer; undefined while its head is incomplete. */
function answerLength(received: Buffer): number | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [, length = 0] = /^content-length: *(\d+)/im.exec(received.toString("latin1", 0, end)) ?? [];
  return end + 4 + Number(length);
}
