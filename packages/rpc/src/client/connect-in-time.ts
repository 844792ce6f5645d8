import net, { type Socket } from "node:net";
import tls from "node:tls";
import { causesOf } from "@cloud/runtime";
import { MIN_TLS_VERSION, type TlsContents } from "../tls.ts";

/** The callback of a connection attempt, as undici's connectors take it. */
export type Connected = (...outcome: [error: null, socket: Socket] | [error: Error, socket: null]) => void;

/**
 * Connects to a nearby peer, and succeeds once a server has answered: over https with the TLS handshake, else with a
 * first exchange. Fails after `LIMIT_MS`. Left to itself, the system would retry for two minutes at ever longer
 * intervals, and every call would wait for it, including calls made after the peer has recovered. A handshake has no
 * limit at all.
 */
export function connectInTime(url: URL, contents: TlsContents | undefined, done: Connected): void {
  const isEncrypted = url.protocol === "https:"; // protects: encrypted-peer
  const socket = isEncrypted ? encrypted(url, contents ?? {}) : plain(url);
  const giveUp = () => void socket.destroy(Object.assign(new Error("not connected in time"), { code: "ETIMEDOUT" }));
  let turns = 0;
  const timer = setInterval(() => void (++turns === LIMIT_MS / TURN_MS && giveUp()), TURN_MS);
  const fail = (error: NodeJS.ErrnoException) => done(error.code === "ECONNRESET" ? neverSent(error) : error, null);
  socket.once("error", fail).once("close", () => clearInterval(timer));
  const succeed = () => {
    clearInterval(timer);
    socket.off("error", fail);
    done(null, socket);
  };
  socket.once(
    isEncrypted ? "secureConnect" : "connect",
    isEncrypted ? succeed : () => proveConnection(socket, succeed),
  );
}

/** The limit: longer than connecting takes over any network. The packets of a connection still pending are dropped. */
const LIMIT_MS = 2_000;
/**
 * The limit is counted in turns of the event loop. Each turn reads the bytes that have arrived, so a program that was
 * stopped or busy does not take its own absence for the peer's silence.
 */
const TURN_MS = 100;

const neverSent = (cause: Error) => new NotProcessedError(cause.message, { cause });

function plain(url: URL): Socket {
  return net.connect({ ...addressOf(url, 80), noDelay: true });
}

/** Verifies the peer's certificate, and that it names the host of the URL. */
function encrypted(url: URL, contents: TlsContents): Socket {
  const address = addressOf(url, 443);
  const servername = net.isIP(address.host) === 0 ? { servername: address.host } : {}; // RFC 6066, 3: no addresses
  const options = { ...contents, ...address, ...servername, minVersion: MIN_TLS_VERSION, ALPNProtocols: ["http/1.1"] };
  return tls.connect(options).setNoDelay(true); // protects: peer-certificate
}

function addressOf({ hostname, port }: URL, defaultPort: number) {
  const host = hostname.replace(/^\[|\]$/g, ""); // an IPv6 address is in brackets in a URL
  return { host, port: port === "" ? defaultPort : Number(port) };
}

/**
 * Calls `proven` once a server has replied on a new connection, or destroys the socket with an error. A load balancer
 * may accept a connection before a replica does, and then close it: a call sent on it might have been processed, and
 * could not be sent again. TLS needs no such probe, because its handshake is one.
 */
function proveConnection(socket: Socket, proven: () => void): void {
  let received = Buffer.alloc(0);
  const refuse = (why: string) => void socket.destroy(new NotProcessedError(why));
  const end = () => refuse("the connection was closed at once");
  const read = () => {
    received = Buffer.concat([received, readReceived(socket)]);
    const length = replyLength(received);
    if (received.length > MAX_REPLY_BYTES) return refuse("the peer speaks something else than HTTP/1.1");
    if (length === undefined || received.length < length) return;
    socket.off("readable", read).off("end", end);
    if (CLOSES.test(received.toString("latin1"))) refuse("the server was stopping");
    else proven();
  };
  socket.on("readable", read).once("end", end);
  socket.write(PROBE);
}

/** A request without effect, to which any server of HTTP/1.1 replies (RFC 9110, 9.3.7). */
const PROBE = "OPTIONS * HTTP/1.1\r\nHost: peer\r\nContent-Length: 0\r\n\r\n";
const MAX_REPLY_BYTES = 16_384;

const CLOSES = /^connection: *close/im;

/** Returns the number of bytes of the complete reply; undefined while its head is incomplete. */
function replyLength(received: Buffer): number | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [, length = 0] = /^content-length: *(\d+)/im.exec(received.toString("latin1", 0, end)) ?? [];
  return end + 4 + Number(length);
}

/**
 * Thrown when the connection ended before the call was sent, or the server closes it and drops what it reads:
 * `408 Request Timeout` (RFC 9110, 15.5.9).
 */
export class NotProcessedError extends Error {}

/**
 * Returns everything that a paused socket has received; empty if nothing. Node returns a chunk per call, and emits no
 * `readable` for the chunks that it has already (26.10): a reader that takes one chunk per event waits for a byte that
 * never comes.
 */
export function readReceived(socket: Socket): Buffer {
  const chunks: Buffer[] = [];
  for (let chunk = readChunk(socket); chunk !== null; chunk = readChunk(socket)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const readChunk = (socket: Socket) => socket.read() as Buffer | null;

/** Returns whether any cause shows that the call failed before a server processed it. */
export function wasNotProcessed(error: unknown): boolean {
  return causesOf(error).some((cause) => cause instanceof NotProcessedError || isNeverSent(cause as NodeError));
}

interface NodeError {
  readonly code?: unknown;
  readonly syscall?: unknown;
}

/** Returns whether the error of Node shows that no connection was made. */
function isNeverSent({ code, syscall }: NodeError): boolean {
  return code === "ECONNREFUSED" || syscall === "connect" || syscall === "getaddrinfo";
}
