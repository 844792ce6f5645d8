import type { TLSSocket } from "node:tls";
import { Counter, type Telemetry } from "@cloud/telemetry";

/** How often refusals are logged: who may connect must not be able to fill the log. */
const LOG_EVERY_MS = 60_000;

/** Counts handshakes that failed, and logs the reason of one a minute: a refused client does not always learn why. */
export function reportRefusedHandshakes({ log, metrics }: Telemetry): (error: Error, socket: TLSSocket) => void {
  const refused = new Counter({
    name: "rpc_tls_handshakes_refused_total",
    help: "TLS handshakes that failed, or whose client certificate was refused.",
    registers: [metrics],
  });
  let loggedAt: number | undefined;
  return (err, socket) => {
    refused.inc();
    const now = performance.now();
    if (loggedAt !== undefined && now - loggedAt < LOG_EVERY_MS) return;
    loggedAt = now;
    // What is wrong with the client's certificate, as a name of OpenSSL; null if it is not the reason.
    log.warn({ err, certificate: socket.authorizationError }, "a TLS handshake was refused");
  };
}
