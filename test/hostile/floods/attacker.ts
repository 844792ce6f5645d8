// The process of a flood's client: `attacker.ts <flood> <port>`. Reports to its parent when its first connection is
// open or refused, and its work when the parent sends a message. Then it exits, which closes all its connections.
import { connect, type Socket } from "node:net";
import type { Done } from "./done.ts";
import { type FloodName, floodOf } from "./floods.ts";

const [name, port] = process.argv.slice(2);
const flood = floodOf(name as FloodName);
const REOPEN_MS = 10;
/** An address of its own, as an attacker has: limits by address are not spent for the other callers. */
const FROM = "127.0.0.2";

const done = { opened: 0, closed: 0, sentBytes: 0, receivedBytes: 0 } satisfies Done;
const open = new Map<Socket, Iterator<Buffer>>();

let begun = false;

function report(): void {
  if (!begun) process.send?.("begun");
  begun = true;
}

function begin(connection: number): void {
  const socket = connect({ host: "127.0.0.1", port: Number(port), localAddress: FROM, noDelay: true });
  const packets = flood.send(connection);
  socket.once("connect", () => {
    done.opened++;
    report();
    open.set(socket, packets);
    sendNext(socket, packets);
  });
  if (flood.reads !== false) {
    socket.on("data", (chunk: Buffer) => {
      done.receivedBytes += chunk.length;
    });
  }
  socket.on("error", () => undefined);
  socket.once("close", () => {
    report();
    done.closed++;
    open.delete(socket);
    setTimeout(begin, REOPEN_MS, connection);
  });
}

function sendNext(socket: Socket, packets: Iterator<Buffer>): void {
  if (socket.writableNeedDrain || !socket.writable) return;
  const { value, done: isLast } = packets.next();
  if (isLast === true || value === undefined) return;
  done.sentBytes += value.length;
  socket.write(value);
}

for (let connection = 0; connection < flood.connections; connection++) begin(connection);
setInterval(() => {
  for (const [socket, packets] of open) sendNext(socket, packets);
}, flood.everyMs);
process.once("message", () => process.send?.(done, () => process.exit(0)));
process.once("disconnect", () => process.exit(0));
