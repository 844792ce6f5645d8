import http2, { type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

// A peer on a separate thread: it replies while the program's own thread is busy, stops replying on request
// (`state[SILENT]`), and ends the process when that thread has been blocked for 6 s (`state[BEATS]`).
const [SILENT, BEATS] = [0, 1];
const state = new Int32Array(workerData as SharedArrayBuffer);

const server = http2.createServer();
server.on("session", (session) => {
  session.on("error", () => undefined);
  session.on("ping", waitWhileSilent);
});
server.on("stream", (stream: ServerHttp2Stream) => {
  stream.on("error", () => undefined);
  waitWhileSilent();
  stream.respond({ ":status": 200 });
  stream.end("answer");
});
server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));

function waitWhileSilent(): void {
  Atomics.wait(state, SILENT, 1);
}

let beats = 0;
setInterval(() => {
  const now = Atomics.load(state, BEATS);
  if (now === beats) process.kill(process.pid, "SIGKILL");
  beats = now;
}, 6_000);
