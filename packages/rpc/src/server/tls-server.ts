import { createServer, type Server, type TLSSocket } from "node:tls";
import { Counter, type Telemetry } from "@cloud/telemetry";
import { MIN_TLS_VERSION, type TlsFiles } from "../tls/tls-files.ts";

/** How often refusals are logged: who may connect must not be able to fill the log. */
const LOG_EVERY_MS = 60_000;

/**
 * Creates a server that passes on its connections once they are encrypted and their clients have chosen a protocol by ALPN.
 * Without ALPN it is HTTP/1.1, as RFC 9113 (3.2) has it. With a file of authorities, a client must have a certificate of
 * one. A handshake may take `limitMs`.
 */
export function createTlsServer(
  files: TlsFiles,
  limitMs: number,
  telemetry: Telemetry,
  serve: (socket: TLSSocket) => void,
): Server {
  let contents = files.read();
  const demandsCertificate = contents.ca !== undefined;
  const server = createServer(
    {
      ...contents,
      noDelay: true,
      minVersion: MIN_TLS_VERSION,
      ALPNProtocols: ["h2", "http/1.1"],
      handshakeTimeout: limitMs,
      requestCert: demandsCertificate, // protects: client-certificate
      rejectUnauthorized: demandsCertificate, // protects: client-authority
    },
    serve,
  );
  server.prependListener("connection", () => {
    const current = files.read();
    if (current !== contents) server.setSecureContext({ ...current, minVersion: MIN_TLS_VERSION });
    contents = current;
  });
  const reportRefused = reportRefusedHandshakes(telemetry);
  server.on("tlsClientError", (error, secure) => {
    reportRefused(error, secure);
    secure.destroy(); // Node only reports a handshake that takes too long
  });
  return server;
}

/** Counts handshakes that failed, and logs the reason of one a minute: a refused client does not always learn why. */
function reportRefusedHandshakes({ log, metrics }: Telemetry) {
  const refused = new Counter({
    name: "rpc_tls_handshakes_refused_total",
    help: "TLS handshakes that failed, or whose client certificate was refused.",
    registers: [metrics],
  });
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (err: Error, socket: TLSSocket) => {
    refused.inc();
    const now = performance.now();
    if (now - loggedAt < LOG_EVERY_MS) return;
    loggedAt = now;
    // What is wrong with the client's certificate, as a name of OpenSSL; null if it is not the reason.
    log.warn({ err, certificate: socket.authorizationError }, "a TLS handshake was refused");
  };
}
