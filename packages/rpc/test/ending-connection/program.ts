import { once } from "node:events";
import type { ClientHttp2Session } from "node:http2";
import net from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { Http2SessionManager } from "@connectrpc/connect-node";
import { PeerSessions } from "../../src/peer-sessions.ts";

// Ends a connection in the moment that the first argument names (idle, verified or open), with the manager that the
// second one names (connect-node or ours), and says for each call whether it had an answer.
const [moment, manager] = process.argv.slice(2);
const IDLE_MS = 1_000;

const [SILENT, BEATS] = [0, 1];
const state = new Int32Array(new SharedArrayBuffer(8));
const beating = setInterval(() => Atomics.add(state, BEATS, 1), 100);
const peer = new Worker(new URL("peer.ts", import.meta.url), { workerData: state.buffer });
const [port] = (await once(peer, "message")) as [number];

const pings = { pingIntervalMs: 50, pingTimeoutMs: moment === "idle" ? 10_000 : 150 };
const url = "http://127.0.0.1:" + port;
const createConnection = () => net.connect({ host: "peer", port, lookup: slowLookup });
const sessions =
  manager === "connect-node"
    ? new Http2SessionManager(url, { ...pings, idleConnectionTimeoutMs: IDLE_MS }, { createConnection })
    : new PeerSessions(url, { ...pings, createConnection });

/** A connection takes longer than the old one needs to end, as it does outside one machine. */
function slowLookup(...[, , found]: Parameters<net.LookupFunction>): void {
  setTimeout(() => found(null, [{ address: "127.0.0.1", family: 4 }]), 50);
}

interface Call {
  readonly outcome: "answered" | "failed" | "no answer";
  readonly connection: ClientHttp2Session | undefined;
}

async function call(): Promise<Call> {
  const late = delay(5_000, undefined, { ref: false });
  const stream = await Promise.race([sessions.request("GET", "/", {}, {}), late]);
  if (stream === undefined) return { outcome: "no answer", connection: undefined };
  const connection = stream.session as ClientHttp2Session;
  let bytes = 0;
  stream.on("error", () => undefined).on("data", (chunk: Buffer) => (bytes += chunk.length));
  stream.end();
  await Promise.race([new Promise((resolve) => stream.once("close", resolve)), late]);
  return { outcome: bytes > 0 ? "answered" : stream.closed ? "failed" : "no answer", connection };
}

/** Has the peer fall silent until the connection is given up, and calls in that very moment. */
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

/** Lets the idle time-out be due, and the answer to the ping be there, before anything else can happen. */
async function callWhileIdleTimesOut(): Promise<Call> {
  await call();
  const began = performance.now();
  await delay(IDLE_MS - 200);
  const verifying = call();
  while (performance.now() < began + IDLE_MS + 200);
  return verifying;
}

async function play(): Promise<Call[]> {
  // A slow machine can miss the moment, so there are a few.
  if (moment === "idle") return [await callWhileIdleTimesOut(), await callWhileIdleTimesOut()];
  const { connection } = await call();
  if (connection === undefined) throw new Error("the peer did not answer");
  const last = callWhenGivenUp(connection);
  if (moment === "verified") await delay(100);
  return Promise.all([call(), last]);
}

process.stdout.write((await play()).map(({ outcome }) => outcome).join(", "));
sessions.abort();
clearInterval(beating);
await peer.terminate();
