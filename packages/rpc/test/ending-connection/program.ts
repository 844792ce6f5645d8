import { once } from "node:events";
import type { ClientHttp2Session } from "node:http2";
import net from "node:net";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { Http2SessionManager } from "@connectrpc/connect-node";
import { PeerSessions } from "../../src/peer-sessions.ts";

// Ends a connection at the moment given by the first argument (idle, verified or open), or is late to read the reply to
// a ping (late), with the manager given by the
// second (connect-node or ours), and prints the outcome of each call.
const [moment, manager] = process.argv.slice(2);
const IDLE_MS = 400;
/** A busy machine can miss the moment. */
const IDLE_ATTEMPTS = 8;

const [SILENT, BEATS] = [0, 1];
const state = new Int32Array(new SharedArrayBuffer(8));
const beating = setInterval(() => Atomics.add(state, BEATS, 1), 100);
const peer = new Worker(new URL("peer.ts", import.meta.url), { workerData: state.buffer });
const [port] = (await once(peer, "message")) as [number];

const pings = {
  pingIntervalMs: moment === "late" ? 1_000 : 50,
  pingTimeoutMs: { idle: 10_000, late: 3_000 }[moment ?? ""] ?? 150,
};
const url = "http://127.0.0.1:" + port;
const createConnection = () => net.connect({ host: "peer", port, lookup: slowLookup });
const sessions =
  manager === "connect-node"
    ? new Http2SessionManager(url, { ...pings, idleConnectionTimeoutMs: IDLE_MS }, { createConnection })
    : new PeerSessions(url, { createConnection });

/** Connecting takes longer than closing the old connection, as it does between machines. */
function slowLookup(...[, , found]: Parameters<net.LookupFunction>): void {
  setTimeout(() => found(null, [{ address: "127.0.0.1", family: 4 }]), 50);
}

interface Call {
  readonly outcome: "answered" | "failed" | "no answer";
  readonly connection: ClientHttp2Session | undefined;
}

async function call(): Promise<Call> {
  const late = delay(10_000, undefined, { ref: false });
  const stream = await Promise.race([sessions.request("GET", "/", {}, {}), late]);
  if (stream === undefined) return { outcome: "no answer", connection: undefined };
  const connection = stream.session as ClientHttp2Session;
  let bytes = 0;
  stream.on("error", () => undefined).on("data", (chunk: Buffer) => (bytes += chunk.length));
  stream.end();
  await Promise.race([new Promise((resolve) => stream.once("close", resolve)), late]);
  return { outcome: bytes > 0 ? "answered" : stream.closed ? "failed" : "no answer", connection };
}

/** Silences the peer until the connection is given up, and makes a call at that very moment. */
function callWhenGivenUp(connection: ClientHttp2Session): Promise<Call> {
  Atomics.store(state, SILENT, 1);
  return new Promise((resolve) => {
    const destroy = connection.destroy.bind(connection);
    connection.destroy = (...parameters) => {
      connection.destroy = destroy;
      destroy(...parameters);
      Atomics.store(state, SILENT, 0);
      Atomics.notify(state, SILENT);
      resolve(call());
    };
  });
}

/** Makes the idle time-out expire, and the reply to the ping arrive, before anything else can run. */
async function callWhileIdleTimesOut(): Promise<Call> {
  await call();
  const began = performance.now();
  await delay(IDLE_MS - 200);
  const verifying = call();
  while (performance.now() < began + IDLE_MS + 200);
  return verifying;
}

async function playIdle(): Promise<Call[]> {
  const calls: Call[] = [];
  while (calls.length < IDLE_ATTEMPTS) calls.push(await callWhileIdleTimesOut());
  return calls;
}

/** Blocks this process after its ping was sent, for longer than it waits; the reply arrives meanwhile. */
async function callWhileLate(): Promise<Call> {
  await call();
  Atomics.store(state, SILENT, 1);
  const waiting = call();
  await delay(1_500);
  await setImmediate(); // the phase after which timers run, and only then reading
  Atomics.store(state, SILENT, 0);
  Atomics.notify(state, SILENT);
  const began = performance.now();
  while (performance.now() < began + 4_000);
  return waiting;
}

async function play(): Promise<Call[]> {
  if (moment === "idle") return playIdle();
  if (moment === "late") return [await callWhileLate()];
  const { connection } = await call();
  if (connection === undefined) throw new Error("the peer did not reply");
  const last = callWhenGivenUp(connection);
  // An idle connection is verified: after 50 ms by connect-node, after 1 s by ours.
  if (moment === "verified") await delay(manager === "ours" ? 1_200 : 100);
  return Promise.all([call(), last]);
}

process.stdout.write((await play()).map(({ outcome }) => outcome).join(", "));
sessions.abort();
clearInterval(beating);
await peer.terminate();
