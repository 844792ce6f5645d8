import type { Socket } from "node:net";

/** How long a connection may stay silent before its protocol is known. */
const FIRST_BYTE_MS = 10_000;
/** The HTTP/2 preface is `PRI * HTTP/2.0…`; no HTTP/1.1 method starts like it (RFC 9113, 3.4). */
const HTTP2_PREFACE = Buffer.from("PRI");

/** Reads the first bytes and puts them back; then tells which protocol the client speaks. Drops one that stays silent. */
export function readProtocol(socket: Socket, tell: (isHttp2: boolean) => void): void {
  const read = () => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) {
      return;
    }
    if (chunk.length < HTTP2_PREFACE.length && HTTP2_PREFACE.subarray(0, chunk.length).equals(chunk)) {
      // Not enough to tell: wait for more.
      socket.unshift(chunk);
      socket.once("readable", read);
      return;
    }
    socket.removeListener("error", abandon);
    socket.setTimeout(0);
    socket.removeListener("timeout", abandon);
    socket.unshift(chunk);
    tell(chunk.subarray(0, HTTP2_PREFACE.length).equals(HTTP2_PREFACE));
  };
  const abandon = () => void socket.destroy();
  socket.once("error", abandon);
  socket.setTimeout(FIRST_BYTE_MS, abandon);
  socket.once("readable", read);
}
