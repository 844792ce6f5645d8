import net, { type Socket } from "node:net";
import tls from "node:tls";
import { MIN_TLS_VERSION, type TlsContents } from "../tls/tls-files.ts";
import { proveConnection } from "./prove-connection.ts";
import { NotProcessedError } from "./retry-unprocessed.ts";

/** Longer than connecting takes over any network; a connection still pending by then has its packets dropped. */
const LIMIT_MS = 2_000;

/**
 * Connects to a nearby peer, until a server has answered: over https with the TLS handshake, else with a first exchange.
 * Or fails. Left to itself, the system would retry for two minutes at ever longer intervals, and every call would wait
 * for it, including calls made after the peer has recovered. A handshake has no limit at all.
 */
export function connectInTime(url: URL, contents: TlsContents | undefined, done: Connected): void {
  const isEncrypted = url.protocol === "https:";
  const socket = isEncrypted ? encrypted(url, contents ?? {}) : plain(url);
  const giveUp = () => void socket.destroy(Object.assign(new Error("not connected in time"), { code: "ETIMEDOUT" }));
  const timer = setTimeout(giveUp, LIMIT_MS);
  const fail = (error: NodeJS.ErrnoException) => done(error.code === "ECONNRESET" ? neverSent(error) : error, null);
  socket.once("error", fail).once("close", () => clearTimeout(timer));
  const succeed = () => {
    clearTimeout(timer);
    socket.off("error", fail);
    done(null, socket);
  };
  socket.once(
    isEncrypted ? "secureConnect" : "connect",
    isEncrypted ? succeed : () => proveConnection(socket, succeed),
  );
}

const neverSent = (cause: Error) => new NotProcessedError(cause.message, { cause });

/** Like the callback of undici's connectors. */
export type Connected = (...outcome: [error: null, socket: Socket] | [error: Error, socket: null]) => void;

function plain(url: URL): Socket {
  return net.connect({ ...addressOf(url, 80), noDelay: true });
}

/** Verifies the peer's certificate, and that it names the host of the URL. */
function encrypted(url: URL, contents: TlsContents): Socket {
  const address = addressOf(url, 443);
  const servername = net.isIP(address.host) === 0 ? { servername: address.host } : {}; // RFC 6066, 3: no addresses
  const options = { ...contents, ...address, ...servername, minVersion: MIN_TLS_VERSION, ALPNProtocols: ["http/1.1"] };
  return tls.connect(options).setNoDelay(true);
}

function addressOf({ hostname, port }: URL, defaultPort: number) {
  const host = hostname.replace(/^\[|\]$/g, ""); // an IPv6 address is in brackets in a URL
  return { host, port: port === "" ? defaultPort : Number(port) };
}
