import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext, type SecureVersion } from "node:tls";
import type { TlsPaths } from "@cloud/config";
import type { Telemetry } from "@cloud/telemetry";

/** RFC 8996 forbids what is older, whatever Node's flags allow. */
export const MIN_TLS_VERSION: SecureVersion = "TLSv1.2";

/** The files are compared at most so often: a flood of connections must not become one of reads. */
const COMPARE_MS = 1_000;

/** The contents of the files, as PEM. */
export interface TlsContents {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface TlsFiles {
  /** Returns what a new connection uses: the same object until a file has changed. */
  read(): TlsContents;
}

/**
 * Reads the files of TLS, and again when a connection opens, because cert-manager and the kubelet replace them in place.
 * They are compared by content: the kubelet swaps a link to their folder, which a watch of the files does not notice, and
 * a copy may keep the old time of change. Read synchronously, because the connection waits; they are a few KB of a tmpfs.
 *
 * Files that cannot be used are logged once, and those read before stay in use.
 *
 * @throws Error, naming the files, if the first ones cannot be used.
 */
export function openTlsFiles(paths: TlsPaths, log: Telemetry["log"]): TlsFiles {
  let inUse = readUsable(paths);
  let comparedAt = performance.now();
  let logged: string | undefined;
  const compare = () => {
    try {
      const found = readFiles(paths);
      if (isSame(found, inUse)) {
        logged = undefined;
        return;
      }
      assertUsable(found);
      inUse = found;
      logged = undefined;
      log.info({ files: paths }, "the files of TLS were replaced; new connections use them");
    } catch (error) {
      const err = unusable(paths, error);
      if (err.message !== logged)
        log.error({ err }, "the files of TLS were replaced by unusable ones; the old stay in use");
      logged = err.message;
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

function readUsable(paths: TlsPaths): TlsContents {
  try {
    const contents = readFiles(paths);
    assertUsable(contents);
    return contents;
  } catch (error) {
    throw unusable(paths, error);
  }
}

function readFiles({ caFile, certFile, keyFile }: TlsPaths): TlsContents {
  return {
    ...(caFile && { ca: readFileSync(caFile, "utf8") }),
    ...(certFile && { cert: readFileSync(certFile, "utf8") }),
    ...(keyFile && { key: readFileSync(keyFile, "utf8") }),
  };
}

/** Node checks that the key belongs to the certificate, but ignores an empty file, and any text as authorities. */
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

function isSame(one: TlsContents, other: TlsContents): boolean {
  return one.ca === other.ca && one.cert === other.cert && one.key === other.key;
}

function unusable(paths: TlsPaths, cause: unknown): Error {
  const { message } = cause as Error;
  return new Error(`the files of TLS (${Object.values(paths).join(", ")}) cannot be used: ${message}`, { cause });
}
