import type { Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { Telemetry } from "@cloud/telemetry";
import { MIN_TLS_VERSION, type TlsFiles } from "../tls/tls-files.ts";
import { type ProtocolReading, readProtocol } from "./read-protocol.ts";
import { reportRefusedHandshakes } from "./refused-handshakes.ts";

export interface TlsHandshakeOptions {
  readonly files: TlsFiles;
  /** Milliseconds within which a handshake must be complete, and after it the first byte of HTTP/1.1 sent. */
  readonly limitMs: number;
  readonly telemetry: Telemetry;
}

/** Reports the decrypted connection, and whether it is HTTP/2. */
export type ReportConnection = (isHttp2: boolean, socket: Socket) => void;

/**
 * Returns a function that encrypts a connection and reports it once the client has chosen its protocol by ALPN. Without
 * ALPN it is HTTP/1.1, as RFC 9113 (3.2) has it. With a file of authorities, a client must have a certificate of one.
 */
export function createTlsHandshakes({ files, limitMs, telemetry }: TlsHandshakeOptions) {
  let contents = files.read();
  const demandsCertificate = contents.ca !== undefined;
  // Never listens itself: the one front server counts and limits the connections.
  const server = createServer({
    ...contents,
    minVersion: MIN_TLS_VERSION,
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: limitMs,
    requestCert: demandsCertificate,
    rejectUnauthorized: demandsCertificate,
  });
  const pending = new Map<string, (secure: TLSSocket) => void>();
  server.on("secureConnection", (secure) => {
    const proceed = pending.get(addressOf(secure));
    if (proceed === undefined) secure.destroy();
    else proceed(secure);
  });
  const reportRefused = reportRefusedHandshakes(telemetry);
  server.on("tlsClientError", (error, secure) => {
    reportRefused(error, secure);
    secure.destroy(); // Node only reports a handshake that takes too long
  });

  return (socket: Socket, report: ReportConnection): ProtocolReading => {
    const address = addressOf(socket);
    const drop = () => void socket.destroy();
    let timer: NodeJS.Timeout | undefined;
    let silenceMs = limitMs;
    let limit = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(drop, ms);
      silenceMs = ms;
    };
    const finish = () => {
      clearTimeout(timer);
      pending.delete(address);
    };
    pending.set(address, (secure) => {
      finish();
      if (secure.alpnProtocol === "h2") return report(true, secure);
      // A client may be silent now as it may be without TLS, and the same limits apply.
      const reading = readProtocol(secure, silenceMs, () => report(false, secure));
      limit = reading.limit;
    });
    socket.once("close", finish);
    contents = renew(contents);
    server.emit("connection", socket);
    return { limit: (ms) => limit(ms) };
  };

  function renew(known: typeof contents) {
    const current = files.read();
    if (current !== known) server.setSecureContext({ ...current, minVersion: MIN_TLS_VERSION });
    return current;
  }
}

/** Identifies an open connection to one port: Node does not name the connection that a TLS socket decrypts. */
function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
