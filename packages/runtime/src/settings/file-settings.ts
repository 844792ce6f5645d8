import { accessSync, constants } from "node:fs";
import * as z from "zod";
import { ConfigError } from "./settings.ts";

/** The path of a file that can be read at the start; undefined if the variable is absent. */
export const filePath = () => z.string().superRefine(checkReadable).optional();

function checkReadable(path: string, context: z.RefinementCtx): void {
  const problem = findUnreadable(path);
  if (problem !== undefined) context.addIssue(problem);
}

/** Returns why a file cannot be read; undefined if it can. */
export function findUnreadable(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return `the file ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`;
  }
}

/** The environment variables with which a service's RPC port speaks TLS. `docs/settings.md` describes them. */
export const serverTlsSettings = () => ({
  TLS_CERT_FILE: filePath().describe(
    "the service's certificate, as PEM. Its RPC port then speaks TLS only, from version 1.2 on, with `h2` and `http/1.1` (ALPN)",
  ),
  TLS_KEY_FILE: filePath().describe("the key of that certificate, as PEM"),
  TLS_CLIENT_CA_FILE: filePath().describe(
    "demands a client certificate that one of these authorities has signed (mutual TLS)",
  ),
});

/** The environment variables with which a program verifies its peers, and proves its identity to them. */
export const peerTlsSettings = () => ({
  PEER_CA_FILE: filePath().describe(
    "the authorities that sign the certificates of its peers; without it Node's own, which `NODE_EXTRA_CA_CERTS` extends",
  ),
  PEER_CERT_FILE: filePath().describe("the certificate that the program shows to its peers"),
  PEER_KEY_FILE: filePath().describe("the key of that certificate"),
});

/** Paths of PEM files. */
export interface TlsPaths {
  /** The authorities that sign the certificates of the other side. */
  readonly caFile?: string;
  /** The own certificate, and its key. */
  readonly certFile?: string;
  readonly keyFile?: string;
}

type Settings<Shape extends () => z.ZodRawShape> = Readonly<z.output<z.ZodObject<ReturnType<Shape>>>>;

/** Converts the variables; undefined without TLS. @throws ConfigError if one lacks another */
export function serverTlsPaths(settings: Settings<typeof serverTlsSettings>): TlsPaths | undefined {
  const { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, TLS_CLIENT_CA_FILE: caFile } = settings;
  const problems = incomplete({ TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile });
  if (caFile !== undefined && certFile === undefined && keyFile === undefined) {
    problems.push("TLS_CERT_FILE: is required with TLS_CLIENT_CA_FILE");
  }
  return pathsOf({ caFile, certFile, keyFile }, problems);
}

/** Converts the variables; undefined if all are absent. @throws ConfigError if one lacks another */
export function peerTlsPaths(settings: Settings<typeof peerTlsSettings>): TlsPaths | undefined {
  const { PEER_CA_FILE: caFile, PEER_CERT_FILE: certFile, PEER_KEY_FILE: keyFile } = settings;
  return pathsOf({ caFile, certFile, keyFile }, incomplete({ PEER_CERT_FILE: certFile, PEER_KEY_FILE: keyFile }));
}

/** Returns the problem if only one of two variables is set. */
function incomplete(pair: Readonly<Record<string, string | undefined>>): string[] {
  const names = Object.keys(pair);
  const missing = names.filter((name) => pair[name] === undefined);
  if (missing.length !== 1) return [];
  return [`${missing[0]}: is required with ${names.find((name) => name !== missing[0])}`];
}

function pathsOf(
  { caFile, certFile, keyFile }: Readonly<Record<keyof TlsPaths, string | undefined>>,
  problems: readonly string[],
): TlsPaths | undefined {
  if (problems.length > 0) throw new ConfigError(problems);
  const paths = { ...(caFile && { caFile }), ...(certFile && { certFile }), ...(keyFile && { keyFile }) };
  return Object.keys(paths).length === 0 ? undefined : paths;
}
