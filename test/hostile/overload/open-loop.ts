// A client in a process of its own, so that its work delays nothing it measures by more than its share of the machine.
// It sends GETs in turn, again and again, at a rate or as fast as the responses allow, and prints what came of them as
// JSON.
import { connect, type Socket } from "node:net";
import { parseArgs } from "node:util";
import type { Outcome } from "./outcome.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: { url: text, path: { ...text, multiple: true }, token: text, rate: text, connections: text, seconds: text },
});
const target = new URL(values.url ?? "");
/** Requests a second; 0 is as many as the connections get answered. */
const rate = Number(values.rate ?? 0);
const max = Number(values.connections);
const durationMs = Number(values.seconds) * 1_000;
const REQUESTS = (values.path ?? []).map((path) =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nhost: ${target.host}\r\nauthorization: Bearer ${values.token}\r\n\r\n`),
);

const outcomes: Outcome[] = [];
let [broken, open, unsent, sent] = [0, 0, 0, 0];
const free: Socket[] = [];
const began = performance.now();
const now = () => performance.now() - began;

/** Opens a connection that is free for the next request whenever it has received a response. */
function openConnection(ready: (socket: Socket) => void): void {
  open++;
  let received: Buffer = Buffer.alloc(0);
  const socket = connect(Number(target.port), target.hostname, () => ready(socket));
  socket.setNoDelay(true);
  socket.on("error", () => undefined);
  socket.on("close", () => {
    open--;
    if (now() < durationMs + LAST_MS) broken++;
  });
  socket.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const end = endOfResponse(received);
    if (end === undefined) return;
    const startedAt = startOf.get(socket) ?? 0;
    outcomes.push({ at: startedAt, ms: now() - startedAt, status: Number(received.subarray(9, 12).toString()) });
    received = received.subarray(end);
    ready(socket);
  });
}

/** Returns the length of the first response, once it is complete. */
function endOfResponse(bytes: Buffer): number | undefined {
  const head = bytes.indexOf("\r\n\r\n");
  if (head < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString("latin1", 0, head))?.[1];
  const end = head + 4 + Number(length ?? 0);
  return bytes.length >= end ? end : undefined;
}

/**
 * The interval at which due requests are sent together. On two shared cores, to wake for each of 5,000 a second would
 * cost the programs more than to refuse them.
 */
const TICK_MS = 10;
const startOf = new Map<Socket, number>();
/** The time that the response to the last request is waited for. */
const LAST_MS = 10_000;

function send(socket: Socket): void {
  startOf.set(socket, now());
  socket.write(REQUESTS[sent++ % REQUESTS.length] ?? "");
}

if (rate === 0) {
  for (let index = 0; index < max; index++) openConnection((socket) => (now() < durationMs ? send(socket) : undefined));
} else {
  const due = setInterval(() => {
    const at = Math.min(now(), durationMs);
    for (let owed = Math.floor((at * rate) / 1_000) - sent - unsent; owed > 0; owed--) {
      const socket = free.pop();
      if (socket !== undefined) send(socket);
      else if (open < max) openConnection((opened) => (free.includes(opened) ? undefined : receive(opened)));
      else unsent++;
    }
    if (at >= durationMs) clearInterval(due);
  }, TICK_MS);
}

/** Sends the request for which a new connection was opened. A used connection waits for the next request. */
function receive(socket: Socket): void {
  if (startOf.has(socket)) free.push(socket);
  else send(socket);
}

const finished = setInterval(() => {
  const waiting = sent - outcomes.length - broken;
  if (now() < durationMs || (waiting > 0 && now() < durationMs + LAST_MS)) return;
  clearInterval(finished);
  process.stdout.write(JSON.stringify({ outcomes, broken, unanswered: waiting, unsent }), () => process.exit(0));
}, 20);
