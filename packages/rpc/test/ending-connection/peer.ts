import http2, { type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

// A peer on a thread of its own: it answers while the program's own thread is busy, it falls silent when it is told to
// (`state[SILENT]`), and it ends the process when that thread has stood still for 3 s (`state[BEATS]`).
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
}, 3_000);
