// A client that requests pages over several connections, all at once, and reads the responses:
// `requesting-process.ts <port> <token> <connections> <requests of each> <path>…`. Reports when its first connection is
// open, and the number of responses by status when its parent sends a message.
import { connect } from "node:net";

const [port, token = "", connections, each, ...paths] = process.argv.slice(2);
/** An address of its own, as an attacker has: limits by address are not spent for the other callers. */
const FROM = "127.0.0.2";
const STATUS = Buffer.from("HTTP/1.1 ");
const statuses: Record<string, number> = {};
let sent = 0;

function request(): string {
  const path = paths[sent++ % paths.length];
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
}

/** A status that two packets share is not counted: that is one in a hundred. */
function count(chunk: Buffer): void {
  for (let at = chunk.indexOf(STATUS); at !== -1; at = chunk.indexOf(STATUS, at + 1)) {
    const status = chunk.toString("latin1", at + STATUS.length, at + STATUS.length + 3);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
}

for (let connection = 0; connection < Number(connections); connection++) {
  const socket = connect({ host: "127.0.0.1", port: Number(port), localAddress: FROM });
  socket.on("data", count).on("error", () => undefined);
  socket.once("connect", () => {
    if (connection === 0) process.send?.("begun");
    socket.write(Array.from({ length: Number(each) }, request).join(""));
  });
}
process.once("message", () => process.send?.(statuses, () => process.exit(0)));
process.once("disconnect", () => process.exit(0));
