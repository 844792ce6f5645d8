import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext, createServer, type SecureVersion, type Server, type TLSSocket } from "node:tls";
import { isDeepStrictEqual } from "node:util";
import type { TlsPaths } from "@cloud/runtime/settings";
import { Counter, type Telemetry } from "@cloud/runtime/telemetry";

export interface TlsFiles {
  /** Returns what a new connection uses: the same object until a file has changed. */
  read(): TlsContents;
}

/** The contents of the files, as PEM. */
export interface TlsContents {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Reads the files of TLS, and again when a connection opens, because cert-manager and the kubelet replace them in
 * place. They are compared by content: the kubelet swaps a link to their folder, which a watch of the files does not
 * notice, and a copy may keep the old time of change. They are read synchronously, because the connection waits: a few
 * KB of a tmpfs.
 *
 * Files that cannot be used are logged once, and the files read before stay in use.
 *
 * @throws Error, naming the files, if the first ones cannot be used.
 */
export function openTlsFiles(paths: TlsPaths, log: Telemetry["log"]): TlsFiles {
  let inUse = readUsable(paths);
  let comparedAt = performance.now();
  let logged: string | undefined;
  const compare = () => {
    try {
      const found = readUsable(paths);
      logged = undefined;
      if (isDeepStrictEqual(found, inUse)) return;
      inUse = found;
      log.info({ files: paths }, "the files of TLS were replaced; new connections use them");
    } catch (err) {
      const { message } = err as Error;
      if (message !== logged)
        log.error({ err }, "the files of TLS were replaced by unusable ones; the old stay in use");
      logged = message;
    }
  };
  return {
    read: () => {
      const now = performance.now();
      if (now - comparedAt >= COMPARE_MS) {
        comparedAt = now;
        compare();
      }
      return inUse;
    },
  };
}

/** Milliseconds between two comparisons of the files: a flood of connections must not become a flood of reads. */
const COMPARE_MS = 1_000;

/** Returns what the files contain. @throws Error, naming the files, if it cannot be used */
function readUsable(paths: TlsPaths): TlsContents {
  try {
    const contents = readFiles(paths);
    assertUsable(contents);
    return contents;
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`the files of TLS (${Object.values(paths).join(", ")}) cannot be used: ${message}`, { cause });
  }
}

function readFiles({ caFile, certFile, keyFile }: TlsPaths): TlsContents {
  return {
    ...(caFile && { ca: readFileSync(caFile, "utf8") }),
    ...(certFile && { cert: readFileSync(certFile, "utf8") }),
    ...(keyFile && { key: readFileSync(keyFile, "utf8") }),
  };
}

/** Throws if the files cannot be used. Node itself ignores an empty file, and any text in place of authorities. */
function assertUsable(contents: TlsContents): void {
  const { ca, cert, key } = contents;
  if (ca !== undefined) assertCertificates(ca);
  if (cert !== undefined) assertCertificates(cert);
  if (key !== undefined) createPrivateKey(key);
  createSecureContext({ ...contents, minVersion: MIN_TLS_VERSION });
}

function assertCertificates(pem: string): void {
  const blocks = pem.split(/(?=-----BEGIN )/).filter((block) => block.startsWith("-----BEGIN "));
  if (blocks.length === 0) throw new Error("a file contains no certificate");
  for (const block of blocks) new X509Certificate(block);
}

/**
 * Creates a server that passes on its connections once they are encrypted and their clients have chosen a protocol by
 * ALPN. A client without ALPN speaks HTTP/1.1 (RFC 9113, 3.2). With a file of authorities, a client must have a
 * certificate that one of them has issued. A handshake may take `limitMs`.
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

/** The oldest version of TLS that is spoken, whatever Node's flags allow: RFC 8996 forbids older ones. */
export const MIN_TLS_VERSION: SecureVersion = "TLSv1.2";

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
    // `authorizationError` is OpenSSL's name for the fault of the client's certificate; null if it is not the reason.
    log.warn({ err, certificate: socket.authorizationError }, "a TLS handshake was refused");
  };
}

/** Milliseconds between two logged refusals: a client that may only connect must not be able to fill the log. */
const LOG_EVERY_MS = 60_000;
