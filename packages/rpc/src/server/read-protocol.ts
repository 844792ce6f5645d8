import type { Socket } from "node:net";
import { readReceived } from "../client/connect-in-time.ts";

/** The first bytes of every HTTP/2 connection; no HTTP/1.1 request starts with them (RFC 9113, 3.4). */
const HTTP2_PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/**
 * Reads a connection's first bytes until they show which protocol the client uses, puts them back, and reports it; drops
 * the connection if they do not within `limitMs`. The bytes stay in a buffer of its own until then: put back one by one,
 * they would wake the reader at every tick, and one byte that is never followed by another would block the process.
 *
 * They are put back as one chunk. Node passes what was read to a new HTTP/2 session chunk by chunk, and throws at the next
 * one when the session has ended at one before it (26.10), which ends the process.
 */
export function readProtocol(socket: Socket, limitMs: number, report: (isHttp2: boolean) => void): void {
  let head = Buffer.alloc(0);
  const drop = () => void socket.destroy();
  const timer = setTimeout(drop, limitMs);
  const finish = () => {
    clearTimeout(timer);
    socket.off("readable", read).off("error", drop).off("close", finish);
  };
  const read = () => {
    head = Buffer.concat([head, readReceived(socket)]);
    if (head.length === 0) return;
    const isHttp2 = startsLikeHttp2(head);
    if (isHttp2 && head.length < HTTP2_PREFACE.length) return; // protects: first-bytes
    finish();
    socket.unshift(head); // protects: one-chunk
    report(isHttp2);
  };
  socket.on("readable", read).on("error", drop).on("close", finish);
}

function startsLikeHttp2(head: Buffer): boolean {
  const length = Math.min(head.length, HTTP2_PREFACE.length);
  return HTTP2_PREFACE.subarray(0, length).equals(head.subarray(0, length));
}
